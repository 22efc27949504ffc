//! Waits for jobs with a timeout, and abandons a device whose job does not terminate.

use crate::error::{Error, Result};
use crate::opened::OpenDevice;
use crate::scope::scoped;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wgpu::{PollError, PollType, SubmissionIndex};

/// The default timeout of a job.
pub const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The poll interval of a wait.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The conditions that end the wait for a job before the job is done.
#[derive(Clone, Copy, Debug)]
pub struct WaitLimit<'a> {
    /// The timeout.
    pub limit: Duration,
    /// A flag that ends the wait when it is set.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for WaitLimit<'_> {
    fn default() -> Self {
        Self { limit: TIME_LIMIT, stop: None }
    }
}

impl OpenDevice {
    /// Waits for a submission. After [`Error::TimedOut`] or [`Error::Stopped`], the submission continues to run, and the
    /// device is abandoned.
    pub fn wait(&self, submission: &SubmissionIndex, limits: WaitLimit<'_>) -> Result<()> {
        let _span = tracing::debug_span!("wait").entered();
        let started = Instant::now();
        loop {
            let poll = PollType::Wait {
                submission_index: Some(submission.clone()),
                timeout: Some(POLL_INTERVAL.min(limits.limit)),
            };
            let polled = scoped(self.device(), || self.device().poll(poll));
            self.check_not_lost()?;
            let error = match polled? {
                Ok(_) => return Ok(()),
                Err(PollError::Timeout)
                    if limits.stop.is_some_and(|s| s.load(Ordering::Relaxed)) =>
                {
                    Error::Stopped
                }
                Err(PollError::Timeout) if started.elapsed() < limits.limit => continue,
                Err(PollError::Timeout) => Error::TimedOut { limit: limits.limit },
                Err(error) => return Err(Error::NotWaited { reason: error.to_string() }),
            };
            self.abandon();
            return Err(error);
        }
    }

    /// Leaks the device and marks it as lost, because its job cannot be stopped and closing the device would wait for it.
    fn abandon(&self) {
        std::mem::forget((self.device().clone(), self.queue().clone()));
        self.mark_lost("an abandoned dispatch is still running on it".to_owned());
    }
}
