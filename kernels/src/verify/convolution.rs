//! A convolution in one dimension, a tile of it to a workgroup: what an element adds to the tiles beside its own is added
//! there atomically.

/// Each input is spread over three cells.
#[hirace::model]
pub mod convolution {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Invocations of a workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// All cells are added to for the device.
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

    /// Cells are added to for the workgroup, at the edges of its tile too.
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
