//! What proofs take care of. Each rule can be left out, for tests: without it something is proved that races.

/// What a proof takes care of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Integers wrap.
    Wrapping,
    /// An index may be out of bounds, and is clamped.
    Bounds,
    /// What an access touches reaches beyond its first byte.
    Extents,
    /// Storage is shared with other workgroups, whatever barriers there are.
    Workgroups,
    /// Workgroup memory is shared with the other invocations of the workgroup.
    Neighbours,
    /// A barrier orders the memory that it names alone.
    Classes,
    /// A barrier orders nothing where not all come to it.
    Divergence,
    /// Invocations may be at different turns of a loop.
    Turns,
    /// What a loop assigns to changes from turn to turn.
    Loops,
    /// Either way may be taken.
    Ways,
    /// Which way was taken may differ, and with it what variables hold.
    Branches,
    /// What is loaded from memory that is written may be anything, for each invocation.
    Loads,
    /// Reads conflict with writes.
    Reads,
    /// Atomics conflict with plain accesses.
    Atomics,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Wrapping,
        Self::Bounds,
        Self::Extents,
        Self::Workgroups,
        Self::Neighbours,
        Self::Classes,
        Self::Divergence,
        Self::Turns,
        Self::Loops,
        Self::Ways,
        Self::Branches,
        Self::Loads,
        Self::Reads,
        Self::Atomics,
    ];
}

/// The rules that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    without: Option<Rule>,
}

impl Rules {
    /// All but this one. What is proved so may be wrong.
    pub fn without(rule: Rule) -> Self {
        Self { without: Some(rule) }
    }

    /// Whether this one is kept.
    pub(super) fn keep(self, rule: Rule) -> bool {
        self.without != Some(rule)
    }
}
