//! The limit on memory for request bodies.

use crate::problem::Problem;
use crate::store;
use axum::http::StatusCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time;

/// The number of bytes per permit.
const UNIT: usize = 4096;

/// The time that a body waits for memory. It is short, because a body that waits keeps what it has.
const WAIT: Duration = Duration::from_secs(5);

/// The memory for all request bodies at one time.
#[derive(Debug)]
pub struct MemoryLimit(Arc<Semaphore>);

impl MemoryLimit {
    /// Creates a limit of a number of bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / UNIT + 1)))
    }

    /// Reserves memory for `bytes` bytes of a body in total. Waits for a short time if there is none.
    pub async fn extend(&self, reserved: &mut Reservation, bytes: usize) -> Result<(), Problem> {
        let has = reserved.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = bytes.div_ceil(UNIT).saturating_sub(has);
        if missing == 0 {
            return Ok(());
        }
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let taken = Arc::clone(&self.0).acquire_many_owned(missing);
        let taken = time::timeout(WAIT, taken).await.map_err(|_| {
            let detail = "there is no memory for the request at the moment";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(5)
        })?;
        let taken = taken.map_err(|_| store::Error::ShuttingDown)?;
        match &mut reserved.0 {
            Some(permit) => permit.merge(taken),
            None => reserved.0 = Some(taken),
        }
        Ok(())
    }
}

/// The memory that the part of a body takes that has arrived. An announced length reserves nothing.
#[derive(Debug, Default)]
pub struct Reservation(Option<OwnedSemaphorePermit>);
