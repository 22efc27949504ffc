//! A convolution in one dimension, with one tile per workgroup. What an element adds to the neighboring tiles is added
//! with atomics.

/// Each input contributes to three cells.
#[hirace::model]
pub mod convolution {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Adds to all cells with device scope.
    // verify: 1dconv-repaired 2x1 scoped-rc11 verified
    // verify: 1dconv-repaired 2x2 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        sums: &[AtomicU32; 128],
    ) {
        let last = groups.x * SIZE - 1;
        if id.x > 0 {
            sums[id.x - 1].fetch_add(1, Ordering::SeqCst);
        }
        sums[id.x].fetch_add(2, Ordering::SeqCst);
        if id.x < last {
            sums[id.x + 1].fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Adds with workgroup scope, even at the edges of a tile.
    // verify: 1dconv 2x2 scoped-rc11 heterogeneous-race repaired
    // verify: 1dconv 12x4 scoped-rc11 heterogeneous-race
    // verify: 1dconv 15x4 scoped-rc11 heterogeneous-race
    // verify: 1dconv 20x4 scoped-rc11 heterogeneous-race
    // verify: 1dconv 25x4 scoped-rc11 heterogeneous-race
    #[kernel(workgroup_size(SIZE))]
    pub fn in_tiles(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        sums: &[AtomicU32; 128],
    ) {
        let last = groups.x * SIZE - 1;
        if id.x > 0 {
            sums[id.x - 1].within(Scope::Workgroup).fetch_add(1, Ordering::SeqCst);
        }
        sums[id.x].within(Scope::Workgroup).fetch_add(2, Ordering::SeqCst);
        if id.x < last {
            sums[id.x + 1].within(Scope::Workgroup).fetch_add(1, Ordering::SeqCst);
        }
    }
}
