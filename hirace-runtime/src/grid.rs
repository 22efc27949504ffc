//! The size of a grid, in workgroups or invocations.

/// A grid of up to three dimensions: `4`, `[8, 8]` or `[4, 4, 2]`. Missing dimensions are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid([u32; 3]);

impl Grid {
    /// Returns the size in all three dimensions.
    pub fn dimensions(self) -> [u32; 3] {
        self.0
    }

    /// Returns the smallest number of workgroups of `size` in each dimension that covers this number of invocations.
    pub fn workgroups_of(self, size: [u32; 3]) -> Self {
        let Self(invocations) = self;
        Self(std::array::from_fn(|at| invocations[at].div_ceil(size[at].max(1))))
    }
}

impl From<u32> for Grid {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<[u32; 2]> for Grid {
    fn from([x, y]: [u32; 2]) -> Self {
        Self([x, y, 1])
    }
}

impl From<[u32; 3]> for Grid {
    fn from(grid: [u32; 3]) -> Self {
        Self(grid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_workgroup_may_be_full_in_part() {
        let grid = |invocations: [u32; 3]| Grid(invocations).workgroups_of([64, 2, 1]).0;
        assert_eq!(grid([1, 1, 1]), [1, 1, 1]);
        assert_eq!(grid([64, 2, 3]), [1, 1, 3]);
        assert_eq!(grid([65, 3, 0]), [2, 2, 0]);
        assert_eq!(grid([u32::MAX; 3]), [1 << 26, 1 << 31, u32::MAX]);
    }
}
