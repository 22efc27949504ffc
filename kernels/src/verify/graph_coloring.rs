//! Graph coloring: vertices are taken from a list per workgroup, and then from the list of the next workgroup. The
//! graph is a ring.

/// Each workgroup takes vertices until there are none left.
#[hirace::model]
pub mod graph_coloring {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 1;

    /// Number of vertices in a workgroup's initial list.
    const EACH: u32 = 1;

    /// Sets a vertex to the first color that neither neighbor has.
    fn color(colors: &[AtomicU32; 32], vertex: u32, count: u32) {
        let before = colors[(vertex + count - 1) % count].load(Ordering::SeqCst);
        let after = colors[(vertex + 1) % count].load(Ordering::SeqCst);
        let mut free = 1;
        if before == free || after == free {
            free = 2;
        }
        if before == free || after == free {
            free = 3;
        }
        colors[vertex].store(free, Ordering::SeqCst);
    }

    /// The correct version.
    // verify: GCOL-repaired 2x1 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        taken: &[AtomicU32; 16],
        colors: &[AtomicU32; 32],
    ) {
        let count = groups.x * EACH;
        let own = taken[group.x].fetch_add(1, Ordering::SeqCst);
        if own < EACH {
            color(colors, group.x * EACH + own, count);
        }
        let victim = (group.x + 1) % groups.x;
        let stolen = taken[victim].fetch_add(1, Ordering::SeqCst);
        if stolen < EACH {
            color(colors, victim * EACH + stolen, count);
        }
    }

    /// Takes from its own list with workgroup scope, although other workgroups take from it too.
    // verify: GCOL 2x1 scoped-rc11 heterogeneous-race repaired
    // verify: GCOL 4x2 scoped-rc11 heterogeneous-race
    // verify: GCOL 5x2 scoped-rc11 heterogeneous-race
    // verify: GCOL 7x2 scoped-rc11 heterogeneous-race
    // verify: GCOL 10x2 scoped-rc11 heterogeneous-race
    // verify: GCOL 15x2 scoped-rc11 heterogeneous-race
    #[kernel(workgroup_size(SIZE))]
    pub fn own_list_in_workgroup(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        taken: &[AtomicU32; 16],
        colors: &[AtomicU32; 32],
    ) {
        let count = groups.x * EACH;
        let own = taken[group.x].within(Scope::Workgroup).fetch_add(1, Ordering::SeqCst);
        if own < EACH {
            color(colors, group.x * EACH + own, count);
        }
        let victim = (group.x + 1) % groups.x;
        let stolen = taken[victim].fetch_add(1, Ordering::SeqCst);
        if stolen < EACH {
            color(colors, victim * EACH + stolen, count);
        }
    }
}
