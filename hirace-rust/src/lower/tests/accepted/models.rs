#[hirace::model]
mod lock {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicI32, AtomicU32, Ordering, fence};

    fn take(lock: &AtomicU32) {
        while lock.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Acquire).is_err() {}
    }

    #[kernel(workgroup_size(2))]
    fn add(
        #[builtin(local_invocation_index)] lane: u32,
        lock: &AtomicU32,
        owner: &[AtomicI32; 4],
        count: &mut u32,
        #[workgroup] ready: &[Atomic<u32>; 2],
    ) {
        take(lock);
        *count += 1;
        lock.store(0, Ordering::Release);
        ready[lane].within(Scope::Subgroup).store(1);
        let seen = (ready[1 - lane].within(Scope::Workgroup)).load() + lock.load(Ordering::SeqCst);
        let old = owner[lane & 3].within(hirace::Scope::System).fetch_max(3, Ordering::AcqRel);
        match lock.within(Scope::Device).compare_exchange_weak(seen, 1, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => fence(Ordering::Acquire),
            Err(_) => std::sync::atomic::fence(Ordering::AcqRel),
        }
        hirace::fence(Ordering::SeqCst, Scope::QueueFamily);
        if old == 3 {
            workgroup_barrier();
        }
    }
}

#[hirace::model(workgroup_size(1))]
fn alone(flag: &AtomicU32) {
    flag.store(1, Ordering::Release);
}
