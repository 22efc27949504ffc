//! The writer thread. Waiting writes are executed in one transaction, each with its own savepoint, and acknowledged
//! after the commit.

use super::Error;
use rusqlite::Connection;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use tokio::sync::{mpsc, oneshot};

/// The maximum number of waiting writes.
const WAITING: usize = 4096;

/// The maximum number of writes per transaction.
const TOGETHER: usize = 256;

/// A write of a transaction.
trait Part: Send {
    /// Executes the write.
    fn perform(&mut self, connection: &Connection) -> Outcome;

    /// Sends the result; `failed` is the error of the transaction if it was not committed.
    fn answer(self: Box<Self>, failed: Option<&Error>);
}

/// The outcome of a write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The write is to be committed.
    Done,
    /// The write failed and is rolled back.
    Failed,
    /// The database is full, for this write and all others.
    Full,
}

struct PendingWrite<T, F> {
    does: Option<F>,
    done: Option<Result<T, Error>>,
    answer: oneshot::Sender<Result<T, Error>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T, Error> + Send> Part for PendingWrite<T, F> {
    fn perform(&mut self, connection: &Connection) -> Outcome {
        self.done = self.does.take().map(|does| does(connection));
        match &self.done {
            Some(Ok(_)) => Outcome::Done,
            Some(Err(Error::Full)) => Outcome::Full,
            _ => Outcome::Failed,
        }
    }

    fn answer(self: Box<Self>, failed: Option<&Error>) {
        let answer = match (self.done, failed) {
            (Some(Err(error)), _) => Err(error),
            (_, Some(failed)) => Err(failed.clone()),
            (Some(done), None) => done,
            (None, None) => Err(Error::ShuttingDown),
        };
        // The receiver may be gone.
        let _ = self.answer.send(answer);
    }
}

#[derive(Debug)]
pub struct Writer {
    parts: Mutex<Option<mpsc::Sender<Box<dyn Part>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub fn start(connection: Connection) -> Self {
        let (parts, waiting) = mpsc::channel(WAITING);
        let thread = thread::spawn(move || write_all(&connection, waiting));
        Self { parts: Mutex::new(Some(parts)), thread: Mutex::new(Some(thread)) }
    }

    pub async fn write<T: Send + 'static>(
        &self,
        does: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, answer) = oneshot::channel();
        let part = Box::new(PendingWrite { does: Some(does), done: None, answer: sender });
        let parts =
            self.parts.lock().ok().and_then(|parts| parts.clone()).ok_or(Error::ShuttingDown)?;
        parts.send(part).await.map_err(|_| Error::ShuttingDown)?;
        answer.await.map_err(|_| Error::ShuttingDown)?
    }

    /// Accepts no more writes, and waits until all accepted writes are done.
    pub fn close(&self) {
        if let Ok(mut parts) = self.parts.lock() {
            parts.take();
        }
        let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
        if let Some(thread) = thread {
            // A writer that panicked has committed what it had acknowledged.
            let _ = thread.join();
        }
    }
}

fn write_all(connection: &Connection, mut waiting: mpsc::Receiver<Box<dyn Part>>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut parts = vec![first];
        while parts.len() < TOGETHER
            && let Ok(part) = waiting.try_recv()
        {
            parts.push(part);
        }
        let failed = together(connection, &mut parts).err();
        if let Some(error) = &failed {
            tracing::error!(%error, parts = parts.len(), "a transaction failed");
            // SQLite itself rolls back a transaction if the database is full.
            if !connection.is_autocommit()
                && let Err(error) = connection.execute_batch("ROLLBACK")
            {
                tracing::error!(%error, "cannot roll back");
            }
        }
        for part in parts {
            part.answer(failed.as_ref());
        }
    }
    // Moves the write-ahead log into the database file, so that a copy of this file alone is complete.
    let folded = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    if let Err(error) = folded {
        tracing::debug!(%error, "cannot truncate the write-ahead log");
    }
}

/// Commits all writes except those that fail individually.
fn together(connection: &Connection, parts: &mut [Box<dyn Part>]) -> Result<(), Error> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for part in parts {
        connection.execute_batch("SAVEPOINT part")?;
        match part.perform(connection) {
            Outcome::Done => connection.execute_batch("RELEASE part")?,
            Outcome::Failed => connection.execute_batch("ROLLBACK TO part; RELEASE part")?,
            Outcome::Full => return Err(Error::Full),
        }
    }
    Ok(connection.execute_batch("COMMIT")?)
}
