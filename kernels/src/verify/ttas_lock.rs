//! A test-and-test-and-set lock: it is read before the attempt to acquire it.

/// All invocations add to a count under the lock.
#[hirace::model]
pub mod ttas_lock {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
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

    /// The correct version.
    // verify: ttaslock 3x1 scoped-rc11 verified
    // verify: ttaslock 3x2 scoped-rc11 verified long
    #[kernel(workgroup_size(SIZE))]
    pub fn right(lock: &AtomicU32, count: &mut u32) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Release);
    }

    /// Releases the lock with relaxed ordering.
    // verify: ttaslock1 3x1 scoped-rc11 data-race repaired
    // verify: ttaslock1 4x2 scoped-rc11 data-race
    // verify: ttaslock1 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn release_relaxed(lock: &AtomicU32, count: &mut u32) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Relaxed);
    }

    /// Acquires the lock with relaxed ordering.
    // verify: ttaslock2 3x1 scoped-rc11 data-race repaired
    // verify: ttaslock2 4x2 scoped-rc11 data-race
    // verify: ttaslock2 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn acquire_relaxed(lock: &AtomicU32, count: &mut u32) {
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
