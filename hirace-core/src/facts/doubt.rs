//! Why a finding is only possible: the assumption that it hangs on.

use crate::program::HostValue;

/// Something guessed that a finding hangs on.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// What it touches depends on it.
    Address(Guessed),
    /// Whether it runs depends on it.
    Control(Guessed),
    /// When the loop ends depends on it.
    LoopEnd(Guessed),
    /// The index out of bounds depends on it.
    Index(Guessed),
    /// What an assertion looks at depends on it.
    Value(Guessed),
    /// It takes so many workgroups, and the grid was guessed.
    Grid {
        /// How many.
        workgroups: u64,
        /// Whether they are what takes an index at a racing access out of bounds.
        clamped: bool,
    },
    /// It shows in subgroups of these sizes, and not of all that were tried.
    SubgroupSizes(Vec<u32>),
    /// The module orders memory by atomics or fences, which are not followed.
    OrderByAtomics,
    /// What the host gives decides it.
    Host(Vec<HostValue>),
}

impl Doubt {
    /// Whether it is about the program or the launch as a whole, and not about the sites of the finding.
    pub fn is_of_launch(&self) -> bool {
        matches!(
            self,
            Self::Grid { .. } | Self::SubgroupSizes(_) | Self::OrderByAtomics | Self::Host(_)
        )
    }
}

/// What was guessed of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guessed {
    /// Those whose contents were.
    pub contents: Vec<String>,
    /// Those whose length or size was.
    pub lengths: Vec<String>,
    /// Those that were given, for a grid that was guessed.
    pub given: Vec<String>,
}
