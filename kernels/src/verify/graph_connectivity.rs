//! Connected components: each vertex takes the greatest label of its neighbor, until nothing changes. The graph is a ring,
//! and each workgroup has an arc of it.

/// One round, with one arc per workgroup.
#[hirace::model]
pub mod graph_connectivity {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// The correct version.
    // verify: GCON-repaired 2x1 scoped-rc11 verified
    // verify: GCON-repaired 2x2 scoped-rc11 verified long
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        labels: &[AtomicU32; 128],
    ) {
        let next = (id.x + 1) % (groups.x * SIZE);
        let own = labels[id.x].fetch_max(128 - id.x, Ordering::Relaxed);
        let other = labels[next].load(Ordering::Relaxed);
        if other > own {
            labels[id.x].fetch_max(other, Ordering::Relaxed);
        }
    }

    /// Changes labels with workgroup scope, although the workgroup of the next arc reads them.
    // verify: GCON 2x2 scoped-rc11 heterogeneous-race repaired
    // verify: GCON 4x2 scoped-rc11 heterogeneous-race
    // verify: GCON 5x2 scoped-rc11 heterogeneous-race
    // verify: GCON 7x2 scoped-rc11 heterogeneous-race
    // verify: GCON 10x2 scoped-rc11 heterogeneous-race
    // verify: GCON 15x2 scoped-rc11 heterogeneous-race
    #[kernel(workgroup_size(SIZE))]
    pub fn in_arcs(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        labels: &[AtomicU32; 128],
    ) {
        let next = (id.x + 1) % (groups.x * SIZE);
        let own = labels[id.x].within(Scope::Workgroup).fetch_max(128 - id.x, Ordering::Relaxed);
        let other = labels[next].load(Ordering::Relaxed);
        if other > own {
            labels[id.x].within(Scope::Workgroup).fetch_max(other, Ordering::Relaxed);
        }
    }
}
