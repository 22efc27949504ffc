//! Launches as they are: nothing is watched and nothing counted, and what they leave in memory is all that is asked.
//!
//! Run many times, and with one workgroup or another first, a launch whose results are not the same each time shows
//! that they hang on the order of its workgroups.

use crate::diagnostic::Diagnostic;
pub use crate::pass::target_first::{Means, Waits};
use crate::vm::memory::Resources;

/// A workgroup that goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// The index of the dispatch; all others run as they are.
    pub dispatch: usize,
    /// The linear id of the workgroup. One past the last changes nothing.
    pub target: u32,
    /// How it comes to go first.
    pub means: Means,
    /// How often those that wait for it look at most. A device whose loops may take few turns looks less often.
    pub polls: u32,
}

impl First {
    /// Polls that last for tenths of a second on devices: much longer than workgroups run, and shorter than drivers let a
    /// dispatch run.
    pub const POLLS: u32 = 1 << 18;

    /// The workgroup `target` of this dispatch, as the paper has it.
    pub fn new(dispatch: usize, target: u32) -> Self {
        Self { dispatch, target, means: Means::default(), polls: Self::POLLS }
    }
}

/// What came of a launch that was run as it is.
#[derive(Debug, Default)]
pub struct Bare {
    /// Memory after the last dispatch; none, after a failure.
    pub resources: Resources,
    /// Who of the dispatch with a target did not wait for it to the end.
    pub waits: Waits,
    /// Why it did not run to its end: a dispatch took too long, or the device was lost over it.
    pub failure: Option<Box<Diagnostic>>,
}
