//! A lock taken by compare-exchange.

/// All invocations add to a count under the lock.
#[hirace::model]
pub mod cas_lock {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    fn take(lock: &AtomicU32) {
        while lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
    }

    /// The correct version.
    // verify: caslock 2x2 scoped-rc11 verified
    // verify: caslock 4x2 scoped-rc11 verified long
    // verify: caslock 1x8 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(lock: &AtomicU32, count: &mut u32) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Release);
    }

    /// Releases the lock with relaxed ordering.
    // verify: caslock1 2x2 scoped-rc11 data-race repaired
    // verify: caslock1 4x2 scoped-rc11 data-race
    // verify: caslock1 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn release_relaxed(lock: &AtomicU32, count: &mut u32) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Relaxed);
    }

    /// Acquires the lock with relaxed ordering.
    // verify: caslock2 2x2 scoped-rc11 data-race repaired
    // verify: caslock2 4x2 scoped-rc11 data-race
    // verify: caslock2 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn acquire_relaxed(lock: &AtomicU32, count: &mut u32) {
        loop {
            if lock.compare_exchange_weak(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                break;
            }
        }
        *count += 1;
        lock.store(0, Ordering::Release);
    }

    /// Uses workgroup scope for a lock that several workgroups share.
    // verify: caslock-scope 2x2 scoped-rc11 heterogeneous-race repaired
    #[kernel(workgroup_size(SIZE))]
    pub fn in_workgroup(lock: &AtomicU32, count: &mut u32) {
        loop {
            let shared = lock.within(Scope::Workgroup).swap(1, Ordering::Acquire);
            if shared == 0 {
                break;
            }
        }
        *count += 1;
        lock.within(Scope::Workgroup).store(0, Ordering::Release);
    }
}
