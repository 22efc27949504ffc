//! The whole job: a source and what is known of its launches in, facts about them out.
//!
//! ```
//! use hirace_core::check::Options;
//! use hirace_core::check::source::check_wgsl;
//! use hirace_core::facts::Verdict;
//!
//! let shader = "
//!     var<workgroup> tile: array<u32, 64>;
//!     @group(0) @binding(0) var<storage, read_write> out: array<u32>;
//!     @compute @workgroup_size(64)
//!     fn main(@builtin(local_invocation_index) lane: u32) {
//!         tile[lane] = lane;
//!         out[lane] = tile[63 - lane]; // a barrier is missing
//!     }";
//! let launches = check_wgsl("reverse.wgsl", shader, &Options::default())?;
//! assert_eq!(launches[0].verdict(), Verdict::Findings);
//! assert_eq!(launches[0].findings[0].lines(), [6, 7]);
//! # Ok::<(), Box<hirace_core::diagnostic::Diagnostic>>(())
//! ```
//!
//! [`source`] checks a source, [`mod@file`] the several programs of a Rust file. Both run the launches of each
//! entry point (`candidates`) and sum up what is found (`sum`).

#[cfg(test)]
mod advice;
mod candidates;
mod explore;
pub mod file;
pub mod memory;
mod overrides;
mod relations;
mod rerun;
pub mod run;
#[cfg(test)]
mod run_tests;
mod session;
pub mod source;
mod subject;
mod sum;
mod wanted;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod twins;

pub use session::{Follower, Session, Unit};

use crate::analysis::steady;
use crate::diagnostic::Diagnostic;
use crate::exec::{EMBEDDED, Watch};
use crate::facts::LaunchFacts;
use crate::launch::spec::LaunchSpec;
use crate::limits::Limits;
use memory::FinalMemory;

/// What to check, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Entry points to check; empty: all. Launches that name their dispatches are not asked.
    pub kernels: Vec<String>,
    /// The launches; empty: one of which everything is guessed.
    pub launches: Vec<LaunchSpec>,
    /// How many seeded schedules to run beside the plain one.
    pub schedules: u32,
    /// What is watched.
    pub watch: Watch,
    /// What kernels have to fit in; those that do not are not run.
    pub limits: Option<Limits>,
}

/// What came of checking one source.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The facts about each launch and entry point.
    pub launches: Vec<LaunchFacts>,
    /// For each of those, memory after it: as given, or the first that was tried. None, if the session keeps none.
    pub memories: Vec<FinalMemory>,
    /// What is to be said about the source itself: comments that allow nothing.
    pub warnings: Vec<Diagnostic>,
    /// Why the rest was not checked: the device failed, or it does not fit in the limits asked for. What was done is
    /// reported.
    pub failures: Vec<Diagnostic>,
}

impl Checked {
    /// Whether it does the same under every schedule, as far as that is shown.
    pub fn is_steady(&self) -> bool {
        let Self { launches, memories, failures, .. } = self;
        let is_steady = |(launch, memory): (&LaunchFacts, &FinalMemory)| {
            launch.device.about.name == EMBEDDED && steady::is_steady(&memory.program, launch)
        };
        failures.is_empty()
            && launches.len() == memories.len()
            && launches.iter().zip(memories).all(is_steady)
    }

    /// Whether all launches came to their ends.
    pub fn ended(&self) -> bool {
        self.launches.iter().all(LaunchFacts::ended)
    }

    /// The most steps that a dispatch took.
    pub fn steps(&self) -> u64 {
        self.launches.iter().map(|launch| launch.stats.steps).max().unwrap_or(0)
    }

    /// Adds a failure, unless it is known already: of a device that is lost, every launch says so.
    pub(crate) fn fail(&mut self, failure: Diagnostic) {
        let same = |known: &Diagnostic| {
            (&known.message, &known.labels) == (&failure.message, &failure.labels)
        };
        if !self.failures.iter().any(same) {
            self.failures.push(failure);
        }
    }
}
