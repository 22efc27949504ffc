//! A lock that is looked at before it is taken.

/// Everyone adds to a count under the lock.
#[hirace::model]
pub mod ttas_lock {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Invocations of a workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    fn take(lock: &AtomicU32) {
        loop {
            while lock.load(Ordering::Relaxed) == 1 {}
            if lock.swap(1, Ordering::Acquire) == 0 {
                break;
            }
        }
    }

    /// As it should be.
    // verify: ttaslock 3x1 scoped-rc11 verified
    // verify: ttaslock 3x2 scoped-rc11 verified long
    #[kernel(workgroup_size(SIZE))]
    pub fn right(lock: &AtomicU32, count: &mut u32) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Release);
    }

    /// Given back without a release.
    // verify: ttaslock1 3x1 scoped-rc11 data-race repaired
    // verify: ttaslock1 4x2 scoped-rc11 data-race
    // verify: ttaslock1 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn given_back_relaxed(lock: &AtomicU32, count: &mut u32) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Relaxed);
    }

    /// Taken without an acquire.
    // verify: ttaslock2 3x1 scoped-rc11 data-race repaired
    // verify: ttaslock2 4x2 scoped-rc11 data-race
    // verify: ttaslock2 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn taken_relaxed(lock: &AtomicU32, count: &mut u32) {
        loop {
            while lock.load(Ordering::Relaxed) == 1 {}
            if lock.swap(1, Ordering::Relaxed) == 0 {
                break;
            }
        }
        *count += 1;
        lock.store(0, Ordering::Release);
    }
}
