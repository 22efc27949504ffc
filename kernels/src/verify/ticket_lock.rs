//! A lock that is acquired in the order of tickets.

/// All invocations add to a count under the lock.
#[hirace::model]
pub mod ticket_lock {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Number of invocations per workgroup.
    #[overridable]
    pub const SIZE: u32 = 2;

    /// Takes a ticket, waits until it is served, and returns it.
    fn take(next: &AtomicU32, served: &AtomicU32) -> u32 {
        let ticket = next.fetch_add(1, Ordering::Relaxed);
        while served.load(Ordering::Acquire) != ticket {}
        ticket
    }

    /// The correct version.
    // verify: ticketlock 2x2 scoped-rc11 verified
    // verify: ticketlock 4x2 scoped-rc11 verified long
    // verify: ticketlock 1x8 scoped-rc11 verified
    #[kernel(workgroup_size(SIZE))]
    pub fn right(next: &AtomicU32, served: &AtomicU32, count: &mut u32) {
        let ticket = take(next, served);
        *count += 1;
        served.store(ticket + 1, Ordering::Release);
    }

    /// Releases the lock with relaxed ordering.
    // verify: ticketlock1 2x2 scoped-rc11 data-race repaired
    // verify: ticketlock1 4x2 scoped-rc11 data-race
    // verify: ticketlock1 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn release_relaxed(next: &AtomicU32, served: &AtomicU32, count: &mut u32) {
        let ticket = take(next, served);
        *count += 1;
        served.store(ticket + 1, Ordering::Relaxed);
    }

    /// Acquires the lock with relaxed ordering.
    // verify: ticketlock2 2x2 scoped-rc11 data-race repaired
    // verify: ticketlock2 4x2 scoped-rc11 data-race
    // verify: ticketlock2 6x4 scoped-rc11 data-race
    #[kernel(workgroup_size(SIZE))]
    pub fn acquire_relaxed(next: &AtomicU32, served: &AtomicU32, count: &mut u32) {
        let ticket = next.fetch_add(1, Ordering::Relaxed);
        while served.load(Ordering::Relaxed) != ticket {}
        *count += 1;
        served.store(ticket + 1, Ordering::Release);
    }
}
