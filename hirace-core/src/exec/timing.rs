//! Launches that are timed: made ready once, and then run any number of times, several of them by turns.
//!
//! What is timed is the kernel, and nothing of what comes before it: plans, passes, compilers, and copies of buffers
//! are over when the clock starts. Each run starts from the launch's own contents, so that all of them do the same.

use crate::diagnostic::Result;
use crate::ir::sites::SiteId;
use std::collections::BTreeSet;
use std::time::Duration;

/// A launch that is ready to be timed.
pub trait Stopwatch {
    /// What is watched while the kernel runs.
    fn watched(&self) -> &Watched;

    /// Runs the launch once. Nothing, if it was stopped before it was done.
    ///
    /// # Errors
    /// It does not run to its end.
    fn time(&mut self) -> Result<Option<Took>>;
}

/// How long a run took, over all its dispatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// The kernels themselves, with the checks in them.
    pub kernel: Duration,
    /// To make the shadow zero before, where there is one.
    pub clearing: Duration,
}

impl Took {
    /// Both, one after the other.
    pub fn all(self) -> Duration {
        self.kernel + self.clearing
    }

    /// With another dispatch.
    pub(super) fn add(&mut self, other: Self) {
        self.kernel += other.kernel;
        self.clearing += other.clearing;
    }
}

/// What is watched while a kernel runs, and in how much memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// The access sites.
    pub sites: BTreeSet<SiteId>,
    /// The words of memory: those of workgroup memory count for each workgroup.
    pub words: u64,
    /// Bytes of shadow that follow them, counted alike.
    pub shadow_bytes: u64,
}

impl Watched {
    /// With another dispatch.
    pub(super) fn add(&mut self, other: Self) {
        self.sites.extend(other.sites);
        self.words += other.words;
        self.shadow_bytes += other.shadow_bytes;
    }
}
