//! A barrier of all workgroups (Xiao and Feng: Inter-block GPU communication via fast barrier synchronization, IPDPS 2010):
//! each workgroup sets its flag and waits until the first workgroup, which waits for all flags, clears it.

/// Each invocation writes a word, and after the barrier reads the words of all.
#[hirace::model]
pub mod xf_barrier {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Waits for every `SIZE`-th flag, those that one invocation of the first workgroup handles.
    fn wait_for_all(flags: &[AtomicU32; 8], lane: u32, groups: u32) {
        let mut group = lane + 1;
        while group < groups {
            while flags[group].load(Ordering::Acquire) == 0 {}
            group += SIZE;
        }
    }

    fn let_all_go(flags: &[AtomicU32; 8], lane: u32, groups: u32) {
        let mut group = lane + 1;
        while group < groups {
            flags[group].store(0, Ordering::Release);
            group += SIZE;
        }
    }

    fn sum(words: &[u32; 64], count: u32) -> u32 {
        let mut sum = 0;
        for i in 0..count {
            sum += words[i];
        }
        sum
    }

    /// The correct version.
    // verify: XF-Barrier 2x2 scoped-rc11 verified
    // verify: XF-Barrier 4x3 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[AtomicU32; 8],
        words: &mut [u32; 64],
    ) {
        words[group.x * SIZE + lane] = 1;
        if group.x == 0 {
            wait_for_all(flags, lane, groups.x);
            storage_barrier();
            let_all_go(flags, lane, groups.x);
        } else {
            storage_barrier();
            if lane == 0 {
                flags[group.x].store(1, Ordering::Release);
                while flags[group.x].load(Ordering::Acquire) == 1 {}
            }
            storage_barrier();
        }
        assert!(sum(words, groups.x * SIZE) == groups.x * SIZE);
    }

    /// Sets flags with relaxed ordering.
    // verify: XF-Barrier1 4x3 scoped-rc11 data-race repaired
    // verify: XF-Barrier1 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn set_flag_relaxed(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[AtomicU32; 8],
        words: &mut [u32; 64],
    ) {
        words[group.x * SIZE + lane] = 1;
        if group.x == 0 {
            wait_for_all(flags, lane, groups.x);
            storage_barrier();
            let_all_go(flags, lane, groups.x);
        } else {
            storage_barrier();
            if lane == 0 {
                flags[group.x].store(1, Ordering::Relaxed);
                while flags[group.x].load(Ordering::Acquire) == 1 {}
            }
            storage_barrier();
        }
        assert!(sum(words, groups.x * SIZE) == groups.x * SIZE);
    }

    /// Waits for flags with relaxed ordering.
    // verify: XF-Barrier2 4x3 scoped-rc11 data-race repaired
    // verify: XF-Barrier2 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn wait_for_flag_relaxed(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[AtomicU32; 8],
        words: &mut [u32; 64],
    ) {
        words[group.x * SIZE + lane] = 1;
        if group.x == 0 {
            wait_for_all(flags, lane, groups.x);
            storage_barrier();
            let_all_go(flags, lane, groups.x);
        } else {
            storage_barrier();
            if lane == 0 {
                flags[group.x].store(1, Ordering::Release);
                while flags[group.x].load(Ordering::Relaxed) == 1 {}
            }
            storage_barrier();
        }
        assert!(sum(words, groups.x * SIZE) == groups.x * SIZE);
    }

    /// Only the first invocation of a workgroup reaches the last barrier.
    // verify: XF-Barrier-divergence 4x2 scoped-rc11 barrier-divergence repaired
    // verify: XF-Barrier-divergence 6x4 scoped-rc11 barrier-divergence
    #[kernel(workgroup_size(SIZE))]
    pub fn divergent_last_barrier(
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        flags: &[AtomicU32; 8],
    ) {
        if group.x == 0 {
            wait_for_all(flags, lane, groups.x);
            storage_barrier();
            let_all_go(flags, lane, groups.x);
        } else {
            storage_barrier();
            if lane == 0 {
                flags[group.x].store(1, Ordering::Release);
                while flags[group.x].load(Ordering::Acquire) == 1 {}
                storage_barrier();
            }
        }
    }
}
