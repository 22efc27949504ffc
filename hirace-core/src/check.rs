//! Checks sources: takes a source and what is known of its launches, and returns the facts about them.
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
//! [`source`] checks a single program, [`mod@file`] the several programs of a Rust file. Both run the candidate
//! launches of each entry point (`candidates`) and sum up their facts (`launch_summary`).

mod candidates;
#[cfg(test)]
mod contract_tests;
mod explore;
pub mod file;
#[cfg(test)]
mod help_tests;
mod launch_summary;
pub mod memory;
mod notes;
mod overrides;
mod relations;
mod rerun;
pub mod run;
#[cfg(test)]
mod run_tests;
mod session;
#[cfg(test)]
mod severity_tests;
pub mod source;
mod subject;
mod uniformity;
mod wanted;

#[cfg(test)]
mod guess_tests;
#[cfg(test)]
mod tests;

pub use session::{Follower, LaunchGroup, Session};

use crate::analysis::schedule_independence;
use crate::diagnostic::Diagnostic;
use crate::exec::{EMBEDDED, Watch};
use crate::facts::LaunchFacts;
use crate::launch::spec::LaunchSpec;
use crate::limits::Limits;
use memory::FinalMemory;

/// Options of a check: what to check, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Entry points to check; empty: all. Ignored for launches that name their dispatches.
    pub kernels: Vec<String>,
    /// The launches to check; empty: one launch of which everything is guessed.
    pub launches: Vec<LaunchSpec>,
    /// The number of seeded schedules to run in addition to the default one.
    pub schedules: u32,
    /// What to watch.
    pub watch: Watch,
    /// The limits that kernels have to fit in; a kernel that exceeds them is not run.
    pub limits: Option<Limits>,
}

/// The results of checking one source.
#[derive(Clone, Debug, Default)]
pub struct CheckOutcome {
    /// The facts about each launch and entry point.
    pub launches: Vec<LaunchFacts>,
    /// For each of `launches`, memory after it: after the launch as given, or after the first candidate. Empty if the
    /// session does not keep memory.
    pub memories: Vec<FinalMemory>,
    /// Warnings about the source itself, such as comments that suppress nothing.
    pub warnings: Vec<Diagnostic>,
    /// Why the rest was not checked: the device failed, or a kernel exceeds the requested limits. The facts that were
    /// found before a failure are reported.
    pub failures: Vec<Diagnostic>,
}

impl CheckOutcome {
    /// Returns whether every launch is known to behave the same under every schedule.
    pub fn is_steady(&self) -> bool {
        let Self { launches, memories, failures, .. } = self;
        let is_steady = |(launch, memory): (&LaunchFacts, &FinalMemory)| {
            launch.device.about.name == EMBEDDED
                && schedule_independence::is_schedule_independent(&memory.program, launch)
        };
        failures.is_empty()
            && launches.len() == memories.len()
            && launches.iter().zip(memories).all(is_steady)
    }

    /// Returns whether all launches terminated.
    pub fn all_terminated(&self) -> bool {
        self.launches.iter().all(LaunchFacts::has_terminated)
    }

    /// Returns the largest number of steps that a dispatch took.
    pub fn steps(&self) -> u64 {
        self.launches.iter().map(|launch| launch.stats.steps).max().unwrap_or(0)
    }

    /// Adds a failure, unless an equal one is present: if the device is lost, every launch reports it.
    pub(crate) fn fail(&mut self, failure: Diagnostic) {
        let same = |known: &Diagnostic| {
            (&known.message, &known.labels) == (&failure.message, &failure.labels)
        };
        if !self.failures.iter().any(same) {
            self.failures.push(failure);
        }
    }
}
