//! What is kept: one file of SQLite, in WAL mode, written by one thread and read by many.
//!
//! What is answered was committed to the disk before. Writes that wait are committed together, so that many at a time cost
//! little more than one.

mod backup;
pub mod campaigns;
mod error;
mod migrations;
mod readers;
pub mod submissions;
mod writer;

pub use backup::backup;
pub use error::{Error, Thing};

use readers::Readers;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use writer::Writer;

/// How long one process waits for another that writes.
const BUSY: Duration = Duration::from_secs(10);

/// SQLite's pages, in bytes.
const PAGE: u64 = 4096;

/// A database.
#[derive(Clone, Debug)]
pub struct Store {
    readers: Arc<Readers>,
    writer: Arc<Writer>,
}

impl Store {
    /// Opens a file, and brings what an older version wrote up to date; where there is none, makes it. It grows up to so many
    /// bytes.
    ///
    /// # Errors
    /// It is no such file, of a newer version, or cannot be written.
    pub fn open(path: &Path, most: Option<u64>) -> Result<Self, Error> {
        let mut connection = connect(path, OpenFlags::default())?;
        if let Some(most) = most {
            let pages = i64::try_from(most / PAGE).unwrap_or(i64::MAX).max(1);
            connection.pragma_update(None, "max_page_count", pages)?;
        }
        migrations::apply(&mut connection)?;
        // Only now it is known to be ours.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(Self {
            readers: Arc::new(Readers::new(path)),
            writer: Arc::new(Writer::start(connection)),
        })
    }

    /// Reads, all from one state.
    ///
    /// # Errors
    /// Those of `does`.
    pub async fn read<T: Send + 'static>(
        &self,
        does: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let readers = Arc::clone(&self.readers);
        let read = tokio::task::spawn_blocking(move || readers.read(does));
        read.await.map_err(|error| Error::Panicked(error.to_string()))?
    }

    /// Writes: what `does` answers is committed when it is had.
    ///
    /// # Errors
    /// Those of `does`; it cannot be committed.
    pub async fn write<T: Send + 'static>(
        &self,
        does: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.writer.write(does).await
    }

    /// Takes nothing more, and ends when all that was taken is written.
    pub async fn close(&self) {
        let writer = Arc::clone(&self.writer);
        // A writer that panicked has nothing left to wait for.
        let _ = tokio::task::spawn_blocking(move || writer.close()).await;
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}
