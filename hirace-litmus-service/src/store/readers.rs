//! Connections for concurrent reads.

use super::{Error, connect};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The maximum number of idle connections that are kept open.
const MAX_IDLE: usize = 8;

/// A pool of read-only connections to the database.
#[derive(Debug)]
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::default() }
    }

    /// Returns the folder of the database.
    pub fn folder(&self) -> &Path {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// Calls `query` in a transaction, so that it reads one consistent state of the database.
    pub fn read<T>(&self, query: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = match idle {
            Some(connection) => connection,
            None => connect(&self.path, flags)?,
        };
        let transaction = connection.transaction()?;
        let result = query(&transaction);
        transaction.finish()?;
        if let Ok(mut idle) = self.idle.lock()
            && idle.len() < MAX_IDLE
        {
            idle.push(connection);
        }
        result
    }
}
