//! A histogram that each workgroup first counts in its own memory.

/// The values are the invocations' indices.
#[hirace::model]
pub mod histogram {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// The correct version.
    // verify: histogram-right 2x2 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        bins: &[AtomicU32; 4],
        #[workgroup] own: &[AtomicU32; 4],
    ) {
        own[id.x % 4].fetch_add(1, Ordering::Relaxed);
        workgroup_barrier();
        if lane < 4 {
            bins[lane].fetch_add(own[lane].load(Ordering::Relaxed), Ordering::SeqCst);
        }
    }

    /// Only invocations that have a bin reach the barrier.
    // verify: histogram 4x2 scoped-rc11 barrier-divergence repaired
    // verify: histogram 6x4 scoped-rc11 barrier-divergence
    #[kernel(workgroup_size(SIZE))]
    pub fn diverges(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        bins: &[AtomicU32; 4],
        #[workgroup] own: &[AtomicU32; 4],
    ) {
        own[id.x % 4].fetch_add(1, Ordering::Relaxed);
        if lane % 2 == 0 {
            workgroup_barrier();
            bins[lane % 4].fetch_add(own[lane % 4].load(Ordering::Relaxed), Ordering::SeqCst);
        }
    }
}
