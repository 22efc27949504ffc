//! What the runtime of a source's language passes to a launch in push constants, beside what the user gives.

/// A part of the push constants that follows from the launch: three words, for x, y and z, or as many of them as there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Where it begins, in bytes.
    pub offset: u32,
    /// How long it is, in bytes.
    pub size: u32,
    /// What it is.
    pub what: PassedValue,
}

impl Passed {
    /// Whether the byte at `offset` is in it.
    pub fn holds(&self, offset: u32) -> bool {
        offset.checked_sub(self.offset).is_some_and(|behind| behind < self.size)
    }
}

/// What is passed. A launch is one region: the whole grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedValue {
    /// Where the grid, or this region of it, begins: 0.
    Offset,
    /// How many workgroups there are.
    Workgroups,
    /// How many invocations a workgroup has.
    WorkgroupSize,
    /// How many invocations there are.
    Invocations,
}

impl PassedValue {
    /// Its three numbers for a launch of so many workgroups of this size.
    pub fn of(self, workgroups: [u32; 3], size: [u32; 3]) -> [u32; 3] {
        match self {
            Self::Offset => [0; 3],
            Self::Workgroups => workgroups,
            Self::WorkgroupSize => size,
            Self::Invocations => [0, 1, 2].map(|d| workgroups[d].saturating_mul(size[d])),
        }
    }
}
