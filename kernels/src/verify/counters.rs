//! Counters that several workgroups add to, with a scope that is too narrow: the small programs of the paper's section on
//! repairs, which gives their grids and numbers of races.

/// Counters that all workgroups share.
#[hirace::model]
pub mod counters {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Uses one counter.
    // verify: bench1 2x3 scoped-rc11 heterogeneous-race repaired
    #[kernel(workgroup_size(SIZE))]
    pub fn one(count: &AtomicU32) {
        count.within(Scope::Workgroup).fetch_add(1, Ordering::Relaxed);
    }

    /// Uses one counter with device scope.
    // verify: bench1-repaired 2x3 scoped-rc11 verified
    #[ensures(count >= SIZE && count % SIZE == 0)]
    #[kernel(workgroup_size(SIZE))]
    pub fn one_repaired(count: &AtomicU32) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Uses two counters; the old value of the first is added to the second.
    // verify: bench2 2x2 scoped-rc11 heterogeneous-race repaired
    // verify: bench2 2x3 scoped-rc11 heterogeneous-race
    // verify: bench4 4x2 scoped-rc11 heterogeneous-race
    // verify: bench3 8x1 scoped-rc11 heterogeneous-race
    #[kernel(workgroup_size(SIZE))]
    pub fn two(first: &AtomicU32, second: &AtomicU32) {
        let ticket = first.within(Scope::Workgroup).fetch_add(1, Ordering::Relaxed);
        second.within(Scope::Workgroup).fetch_add(ticket, Ordering::Relaxed);
    }

    /// Uses two counters with device scope.
    // verify: bench2-repaired 2x2 scoped-rc11 verified
    // verify: bench2-repaired 2x3 scoped-rc11 verified long
    #[kernel(workgroup_size(SIZE))]
    pub fn two_repaired(first: &AtomicU32, second: &AtomicU32) {
        let ticket = first.fetch_add(1, Ordering::Relaxed);
        second.fetch_add(ticket, Ordering::Relaxed);
    }

    /// Uses three counters.
    // verify: bench5 3x1 scoped-rc11 heterogeneous-race repaired
    // verify: bench5 5x1 scoped-rc11 heterogeneous-race
    #[kernel(workgroup_size(SIZE))]
    pub fn three(first: &AtomicU32, second: &AtomicU32, third: &AtomicU32) {
        first.within(Scope::Workgroup).fetch_add(1, Ordering::Relaxed);
        second.within(Scope::Workgroup).fetch_or(1, Ordering::Relaxed);
        third.within(Scope::Workgroup).fetch_max(1, Ordering::Relaxed);
    }

    /// Uses three counters with device scope.
    // verify: bench5-repaired 5x1 scoped-rc11 verified long
    #[kernel(workgroup_size(SIZE))]
    pub fn three_repaired(first: &AtomicU32, second: &AtomicU32, third: &AtomicU32) {
        first.fetch_add(1, Ordering::Relaxed);
        second.fetch_or(1, Ordering::Relaxed);
        third.fetch_max(1, Ordering::Relaxed);
    }
}
