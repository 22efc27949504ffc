//! The limit on memory for request bodies.

use crate::problem::Problem;
use crate::store;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of bytes per permit.
const UNIT: usize = 4096;

/// The memory for all request bodies at one time.
#[derive(Debug)]
pub struct Room(Arc<Semaphore>);

impl Room {
    /// Creates a limit of a number of bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / UNIT + 1)))
    }

    /// Waits until a number of bytes is available.
    pub async fn take(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let permits = u32::try_from(bytes / UNIT + 1).unwrap_or(u32::MAX);
        let taken = Arc::clone(&self.0).acquire_many_owned(permits).await;
        Ok(taken.map_err(|_| store::Error::ShuttingDown)?)
    }
}
