//! Push constants that the runtime of a source's language adds to those of the user.

/// A part of the push constants that follows from the launch: up to three words, for x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeValue {
    /// Offset of its first byte.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// The value that is passed.
    pub what: RuntimeValueKind,
}

impl RuntimeValue {
    /// Returns whether the byte at `offset` is in this part.
    pub fn holds(&self, offset: u32) -> bool {
        offset.checked_sub(self.offset).is_some_and(|behind| behind < self.size)
    }
}

/// The value that the runtime passes. A launch has one region: the whole grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeValueKind {
    /// The origin of the grid, or of this region of it: 0.
    Offset,
    /// Number of workgroups.
    Workgroups,
    /// Number of invocations per workgroup.
    WorkgroupSize,
    /// Total number of invocations.
    Invocations,
}

impl RuntimeValueKind {
    /// Returns the three numbers for a launch of `workgroups` workgroups of this size.
    pub fn of(self, workgroups: [u32; 3], size: [u32; 3]) -> [u32; 3] {
        match self {
            Self::Offset => [0; 3],
            Self::Workgroups => workgroups,
            Self::WorkgroupSize => size,
            Self::Invocations => [0, 1, 2].map(|d| workgroups[d].saturating_mul(size[d])),
        }
    }
}
