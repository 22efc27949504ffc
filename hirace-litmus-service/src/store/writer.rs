//! The one who writes. What waits is written in one transaction, in which each part has a savepoint of its own, and is answered
//! when that is committed.

use super::Error;
use rusqlite::Connection;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use tokio::sync::{mpsc, oneshot};

/// So many may wait.
const WAITING: usize = 4096;

/// So many are committed together.
const TOGETHER: usize = 256;

/// A part of a transaction.
trait Part: Send {
    /// Does it.
    fn perform(&mut self, connection: &Connection) -> Outcome;

    /// Answers, if need be with why nothing could be committed.
    fn answer(self: Box<Self>, failed: Option<&Error>);
}

/// What a part did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is to be kept.
    Done,
    /// It is not.
    Failed,
    /// There is no room for it, and for no other.
    Full,
}

struct Writing<T, F> {
    does: Option<F>,
    done: Option<Result<T, Error>>,
    answer: oneshot::Sender<Result<T, Error>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T, Error> + Send> Part for Writing<T, F> {
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
            (None, None) => Err(Error::Ended),
        };
        // Whoever asked may have gone.
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
        let part = Box::new(Writing { does: Some(does), done: None, answer: sender });
        let parts = self.parts.lock().ok().and_then(|parts| parts.clone()).ok_or(Error::Ended)?;
        parts.send(part).await.map_err(|_| Error::Ended)?;
        answer.await.map_err(|_| Error::Ended)?
    }

    /// Takes nothing more, and waits until all that was taken is written.
    pub fn close(&self) {
        if let Ok(mut parts) = self.parts.lock() {
            parts.take();
        }
        let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
        if let Some(thread) = thread {
            // One that panicked has written what it had answered.
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
            tracing::error!(%error, parts = parts.len(), "nothing of this is kept");
            // SQLite itself rolls back what it has no room for.
            if !connection.is_autocommit()
                && let Err(error) = connection.execute_batch("ROLLBACK")
            {
                tracing::error!(%error, "cannot be rolled back");
            }
        }
        for part in parts {
            part.answer(failed.as_ref());
        }
    }
    // What is in the log belongs into the file, so that a copy of that alone is whole.
    let folded = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    if let Err(error) = folded {
        tracing::debug!(%error, "the log stays as it is");
    }
}

/// Commits all of them, but for those that fail by themselves.
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
