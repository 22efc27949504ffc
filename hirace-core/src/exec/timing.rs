//! Timed launches: prepared once, then run any number of times, alternating with other launches.
//!
//! Only the kernel is timed. Plans, passes, compilation and copies of buffers are done before the clock starts. Each run starts
//! from the launch's own contents, so that all runs do the same work.

use crate::diagnostic::Result;
use crate::ir::sites::SiteId;
use std::collections::BTreeSet;
use std::time::Duration;

/// A launch that is ready to be timed.
pub trait Stopwatch {
    /// Returns what is watched while the kernel runs.
    fn watched(&self) -> &WatchSize;

    /// Runs the launch once. Returns `None` if it was stopped before it was done.
    ///
    /// # Errors
    /// If the launch does not terminate.
    fn time(&mut self) -> Result<Option<RunDuration>>;
}

/// The duration of a run, summed over all its dispatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunDuration {
    /// The time of the kernels, including their checks.
    pub kernel: Duration,
    /// The time to clear the shadow memory before the kernels, if there is any.
    pub clearing: Duration,
}

impl RunDuration {
    /// Returns the sum of both times.
    pub fn total(self) -> Duration {
        self.kernel + self.clearing
    }

    /// Adds the times of another dispatch.
    pub(super) fn add(&mut self, other: Self) {
        self.kernel += other.kernel;
        self.clearing += other.clearing;
    }
}

/// What is watched while a kernel runs, and the size of that memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchSize {
    /// The access sites.
    pub sites: BTreeSet<SiteId>,
    /// The number of words of memory. Words of workgroup memory count once per workgroup.
    pub words: u64,
    /// The number of bytes of shadow memory, counted in the same way.
    pub shadow_bytes: u64,
}

impl WatchSize {
    /// Adds what another dispatch watches.
    pub(super) fn add(&mut self, other: Self) {
        self.sites.extend(other.sites);
        self.words += other.words;
        self.shadow_bytes += other.shadow_bytes;
    }
}
