//! Doubts: the assumptions because of which a finding is only possible.

use crate::program::HostValue;

/// An assumption that a finding depends on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Doubt {
    /// The memory that an access touches depends on guessed values.
    Address(InferredInputs),
    /// Whether an access runs depends on guessed values.
    Control(InferredInputs),
    /// Which barriers are reached depends on guessed values.
    Barriers(InferredInputs),
    /// The number of iterations of the loop depends on guessed values.
    LoopEnd(InferredInputs),
    /// The index that is out of bounds depends on guessed values.
    Index(InferredInputs),
    /// The value that an assertion checks depends on guessed values.
    Value(InferredInputs),
    /// The finding needs a minimum number of workgroups, and the grid was guessed.
    Grid {
        /// The number of workgroups that the finding needs.
        workgroups: u64,
        /// Whether that many workgroups are needed for an index of a racing access to be out of bounds.
        clamped: bool,
    },
    /// The finding shows only with these subgroup sizes, and other sizes were tried too.
    SubgroupSizes(Vec<u32>),
    /// The module orders memory by atomics or fences, which hirace does not follow.
    OrderByAtomics,
    /// The finding depends on values that the host supplies.
    Host(Vec<HostValue>),
    /// The values of these overrides and const parameters were guessed. Other values may avoid the finding.
    Overrides(Vec<(String, f64)>),
}

impl Doubt {
    /// Returns whether the doubt concerns the whole program or launch instead of the sites of the finding.
    pub fn is_of_launch(&self) -> bool {
        matches!(
            self,
            Self::Grid { .. }
                | Self::SubgroupSizes(_)
                | Self::OrderByAtomics
                | Self::Host(_)
                | Self::Overrides(_)
        )
    }
}

/// What was guessed: aspects of variables, and the number of workgroups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InferredInputs {
    /// The variables whose contents were guessed.
    pub contents: Vec<String>,
    /// The variables whose length or size was guessed.
    pub lengths: Vec<String>,
    /// The variables that were given, in a launch whose grid was guessed.
    pub given: Vec<String>,
    /// Whether the number of workgroups, which the kernel reads, was guessed.
    pub workgroups: bool,
}
