//! The rules that make proofs sound. Tests disable each one and expect a false proof of a race.

/// A rule that a sound proof must follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Integers wrap.
    Wrapping,
    /// An index may be out of bounds, and is clamped.
    Bounds,
    /// An access touches more than its first byte.
    Extents,
    /// Storage is shared with other workgroups, and barriers do not order their accesses.
    Workgroups,
    /// Workgroup memory is shared with the other invocations of the workgroup.
    Neighbors,
    /// A barrier only orders the memory that it names.
    Classes,
    /// A barrier orders nothing in divergent control flow.
    Divergence,
    /// Invocations may be at different iterations of a loop.
    Iterations,
    /// Variables that a loop assigns to change from iteration to iteration.
    Loops,
    /// Either side of a branch may be taken.
    Ways,
    /// Invocations may take different sides of a branch, and variables may differ accordingly.
    Branches,
    /// A load from memory that is written may yield any value, different for each invocation.
    Loads,
    /// Reads conflict with writes.
    Reads,
    /// Atomics conflict with plain accesses.
    Atomics,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 14] = [
        Self::Wrapping,
        Self::Bounds,
        Self::Extents,
        Self::Workgroups,
        Self::Neighbors,
        Self::Classes,
        Self::Divergence,
        Self::Iterations,
        Self::Loops,
        Self::Ways,
        Self::Branches,
        Self::Loads,
        Self::Reads,
        Self::Atomics,
    ];
}

/// The rules that are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    without: Option<Rule>,
}

impl Rules {
    /// Returns all rules except this one. Proofs may then be wrong.
    pub fn without(rule: Rule) -> Self {
        Self { without: Some(rule) }
    }

    /// Returns whether this rule is followed.
    pub(super) fn keep(self, rule: Rule) -> bool {
        self.without != Some(rule)
    }
}
