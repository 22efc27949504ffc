//! The writer thread. Waiting writes are executed in one transaction, each with its own savepoint, and acknowledged
//! after the commit.

use super::Error;
use rusqlite::Connection;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
        self.done = self.does.take().map(|does| {
            // The savepoint undoes what a write that panics has done so far.
            let done = catch_unwind(AssertUnwindSafe(|| does(connection)));
            done.unwrap_or_else(|panic| Err(Error::Panicked(panic_message(&*panic))))
        });
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

/// Returns the message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|message| message.to_string());
    literal.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
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
            // The thread does not panic: writes are caught.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_panics_is_undone_and_the_others_are_not() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE numbers (number INTEGER)").unwrap();
        let writer = Writer::start(connection);
        let insert = |number: i64, panics: bool| {
            move |to: &Connection| {
                to.execute("INSERT INTO numbers VALUES (?1)", [number])?;
                if panics {
                    panic!("number {number}");
                }
                Ok(())
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (one, two, three) = tokio::join!(
                writer.write(insert(1, false)),
                writer.write(insert(2, true)),
                writer.write(insert(3, false)),
            );
            assert!(one.is_ok() && three.is_ok(), "{one:?} {three:?}");
            assert!(matches!(two, Err(Error::Panicked(message)) if message == "number 2"));
            let sum = |from: &Connection| {
                Ok(from
                    .query_row("SELECT sum(number) FROM numbers", [], |row| row.get::<_, i64>(0))?)
            };
            assert_eq!(writer.write(sum).await.unwrap(), 4);
        });
        writer.close();
    }
}
