//! The database: one SQLite file in WAL mode, written by one thread and read by many.
//!
//! A write is committed to disk before it is acknowledged. Waiting writes are committed together, so many concurrent
//! writes cost little more than one.

mod backup;
pub mod campaigns;
mod error;
mod migrations;
mod readers;
pub mod submissions;
mod writer;

pub use backup::backup;
pub use error::{Error, ItemKind};

use readers::Readers;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use writer::Writer;

/// The maximum time that a process waits while another one writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The page size of SQLite, in bytes.
const PAGE_SIZE: u64 = 4096;

/// A handle to the database.
#[derive(Clone, Debug)]
pub struct Store {
    readers: Arc<Readers>,
    writer: Arc<Writer>,
}

impl Store {
    /// Opens a database file. Migrates a file of an older version and creates a missing one. `max_bytes` limits the
    /// size of the file.
    ///
    /// # Errors
    /// The file is not a database of the service, has a newer version, or cannot be written.
    pub fn open(path: &Path, max_bytes: Option<u64>) -> Result<Self, Error> {
        let mut connection = connect(path, OpenFlags::default())?;
        if let Some(max_bytes) = max_bytes {
            let pages = i64::try_from(max_bytes / PAGE_SIZE).unwrap_or(i64::MAX).max(1);
            connection.pragma_update(None, "max_page_count", pages)?;
        }
        migrations::apply(&mut connection)?;
        // These settings change the file, so they are made only after `migrations::apply` has accepted it as a database of the service.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(Self {
            readers: Arc::new(Readers::new(path)),
            writer: Arc::new(Writer::start(connection)),
        })
    }

    /// Returns the folder of the database.
    pub fn folder(&self) -> &Path {
        self.readers.folder()
    }

    /// Runs `operation` on one consistent state of the database, and returns its result.
    ///
    /// # Errors
    /// The errors of `operation`.
    pub async fn read<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let readers = Arc::clone(&self.readers);
        let read = tokio::task::spawn_blocking(move || readers.read(operation));
        read.await.map_err(|error| Error::Panicked(error.to_string()))?
    }

    /// Runs `operation` in a transaction, and returns its result after the commit.
    ///
    /// # Errors
    /// The errors of `operation`; or the transaction cannot be committed.
    pub async fn write<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.writer.write(operation).await
    }

    /// Accepts no more writes, and returns when all accepted writes are done.
    pub async fn close(&self) {
        let writer = Arc::clone(&self.writer);
        let _ = tokio::task::spawn_blocking(move || writer.close()).await;
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}
