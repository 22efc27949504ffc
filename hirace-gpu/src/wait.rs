//! For how long a job is waited for, and what becomes of a device that it does not give back.

use crate::error::{Error, Result};
use crate::opened::Opened;
use crate::scope::scoped;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wgpu::{PollError, PollType, SubmissionIndex};

/// How long a job may take, if nobody says.
pub const TIME_LIMIT: Duration = Duration::from_secs(120);

/// How often a running job is looked after.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Until when a job is waited for, if it is not done before.
#[derive(Clone, Copy, Debug)]
pub struct Until<'a> {
    /// The time that it has.
    pub limit: Duration,
    /// Ends the wait as soon as it is set.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for Until<'_> {
    fn default() -> Self {
        Self { limit: TIME_LIMIT, stop: None }
    }
}

impl Opened {
    /// Waits for a submission. [`Error::TimedOut`] or [`Error::Stopped`]: it runs on, and the device is left to it.
    pub fn wait(&self, submission: &SubmissionIndex, until: Until<'_>) -> Result<()> {
        let _span = tracing::debug_span!("wait").entered();
        let started = Instant::now();
        loop {
            let poll = PollType::Wait {
                submission_index: Some(submission.clone()),
                timeout: Some(POLL_INTERVAL.min(until.limit)),
            };
            let polled = scoped(self.device(), || self.device().poll(poll));
            self.check_not_lost()?;
            let error = match polled? {
                Ok(_) => return Ok(()),
                Err(PollError::Timeout)
                    if until.stop.is_some_and(|s| s.load(Ordering::Relaxed)) =>
                {
                    Error::Stopped
                }
                Err(PollError::Timeout) if started.elapsed() < until.limit => continue,
                Err(PollError::Timeout) => Error::TimedOut { limit: until.limit },
                Err(error) => return Err(Error::NotWaited { reason: error.to_string() }),
            };
            self.abandon();
            return Err(error);
        }
    }

    /// Leaves the device to a job that cannot be stopped. To close it would be to wait for that.
    fn abandon(&self) {
        std::mem::forget((self.device().clone(), self.queue().clone()));
        self.mark_lost("a dispatch that was not waited for still runs there".to_owned());
    }
}
