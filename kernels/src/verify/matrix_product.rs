//! A matrix product in which each workgroup computes a part of the sums, and all add to the same cells.

/// Multiplies matrices of ones, so that each cell becomes the number of invocations.
#[hirace::model]
pub mod matrix_product {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 1;

    /// The correct version.
    // verify: matmul-repaired 2x1 scoped-rc11 verified
    // verify: matmul-repaired 3x1 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        cells: &[AtomicU32; 2],
        done: &AtomicU32,
        #[builtin(num_workgroups)] groups: UVec3,
    ) {
        for cell in 0..2 {
            cells[cell].fetch_add(1, Ordering::SeqCst);
        }
        if done.fetch_add(1, Ordering::SeqCst) == groups.x * SIZE - 1 {
            assert!(cells[0].load(Ordering::SeqCst) == groups.x * SIZE);
        }
    }

    /// Adds to cells with workgroup scope.
    // verify: matmul 3x1 scoped-rc11 heterogeneous-race repaired
    // verify: matmul 4x3 scoped-rc11 heterogeneous-race
    // verify: matmul 5x3 scoped-rc11 heterogeneous-race
    // verify: matmul 7x3 scoped-rc11 heterogeneous-race
    // verify: matmul 10x3 scoped-rc11 heterogeneous-race
    // verify: matmul 15x3 scoped-rc11 heterogeneous-race
    #[kernel(workgroup_size(SIZE))]
    pub fn in_parts(
        cells: &[AtomicU32; 2],
        done: &AtomicU32,
        #[builtin(num_workgroups)] groups: UVec3,
    ) {
        for cell in 0..2 {
            cells[cell].within(Scope::Workgroup).fetch_add(1, Ordering::SeqCst);
        }
        if done.fetch_add(1, Ordering::SeqCst) == groups.x * SIZE - 1 {
            assert!(cells[0].load(Ordering::SeqCst) == groups.x * SIZE);
        }
    }
}
