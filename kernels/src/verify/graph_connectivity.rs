//! Components of a graph: each vertex takes the least label of those beside it until nothing changes. The graph is a ring,
//! and a workgroup has an arc of it.

/// One round, over an arc a workgroup.
#[hirace::model]
pub mod graph_connectivity {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Invocations of a workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// As it should be.
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

    /// Labels are changed for the workgroup alone, and read by the one that has the next arc.
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
