//! Unmodified launches: nothing is watched or counted, and only the final contents of memory matter.
//!
//! If the results of such a launch differ between runs, or with the workgroup that runs first, they depend on the order of its
//! workgroups.

use crate::diagnostic::Diagnostic;
pub use crate::pass::target_first::{OrderingTechnique, WaitCounts};
use crate::vm::memory::Resources;

/// A request that one workgroup runs before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstWorkgroup {
    /// The index of the dispatch. All other dispatches run unmodified.
    pub dispatch: usize,
    /// The linear id of the workgroup. One past the last id changes nothing.
    pub target: u32,
    /// How the workgroup is made to run first.
    pub means: OrderingTechnique,
    /// The maximum number of polls by the workgroups that wait for it. A device that limits loop iterations polls less often.
    pub polls: u32,
}

impl FirstWorkgroup {
    /// A number of polls that takes tenths of a second on devices: much longer than workgroups run, and shorter than the timeout
    /// of drivers.
    pub const POLLS: u32 = 1 << 18;

    /// Returns the request for workgroup `target` of this dispatch, with the parameters of the paper.
    pub fn new(dispatch: usize, target: u32) -> Self {
        Self { dispatch, target, means: OrderingTechnique::default(), polls: Self::POLLS }
    }
}

/// The outcome of an unmodified launch.
#[derive(Debug, Default)]
pub struct UnwatchedOutcome {
    /// The memory after the last dispatch. Empty after a failure.
    pub resources: Resources,
    /// Which workgroups of the dispatch with a target stopped waiting for it.
    pub waits: WaitCounts,
    /// Why the launch did not terminate: a dispatch took too long, or the device was lost.
    pub failure: Option<Box<Diagnostic>>,
}
