//! A spin lock, and accesses that it does not order.

/// All invocations add to a 64-bit sum in two words, under a lock.
#[hirace::monitor]
pub mod spin_lock {
    use hirace::prelude::*;

    fn acquire(lock: &Atomic<u32>) {
        while lock.compare_exchange_weak(0, 1).is_err() {}
    }

    fn release(lock: &Atomic<u32>) {
        lock.store(0);
    }

    /// Uses atomics for the words too: the lock makes the update exclusive, the atomics make each word visible.
    #[kernel(workgroup_size(4))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        values: &[u32],
        lock: &Atomic<u32>,
        low: &Atomic<u32>,
        high: &Atomic<u32>,
    ) {
        let value = values[id.x];
        acquire(lock);
        let before = low.load();
        let after = before.wrapping_add(value);
        low.store(after);
        if after < before {
            high.store(high.load() + 1);
        }
        release(lock);
    }

    /// Uses plain words. WGSL's atomics are relaxed: the lock does not order other accesses.
    #[rustfmt::skip]
    #[kernel(workgroup_size(4))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        values: &[u32],
        lock: &Atomic<u32>,
        sum: &mut [u32; 2],
    ) {
        let value = values[id.x];
        acquire(lock);
        let before = sum[0];
//                   ^^^^^^ race: read/write on sum[..]
        sum[0] = before.wrapping_add(value);
//      ^^^^^^ race: write/read on sum[..]
//      ^^^^^^ race: write/write on sum[..]
        if sum[0] < before {
//         ^^^^^^ race: read/write on sum[..]
            sum[1] += 1;
//          ^^^^^^ race: read/write on sum[..]
//          ^^^^^^ race: write/read on sum[..]
        }
        release(lock);
    }
}

#[cfg(test)]
mod tests {
    use super::spin_lock;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    fn values() -> Vec<u32> {
        numbers(12, 28).into_iter().map(|n| n | 0xc000_0000).collect()
    }

    #[test]
    fn the_lock_keeps_both_words_together() {
        let values = values();
        let launch = Launch::new()
            .workgroups(3)
            .buffer("values", &values)
            .buffer("lock", &0u32)
            .buffer("low", &0u32)
            .buffer("high", &0u32);
        let run = clean(&spin_lock::clean::kernel(), launch);
        let sum: u64 = values.iter().map(|value| u64::from(*value)).sum();
        let word = |name| u64::from(run.one::<u32>(name));
        assert_eq!(word("low") | word("high") << 32, sum);
    }

    #[test]
    fn a_lock_of_relaxed_atomics_orders_no_plain_memory() {
        let launch = Launch::new()
            .workgroups(3)
            .buffer("values", &values())
            .buffer("lock", &0u32)
            .buffer("sum", &[0u32; 2]);
        racy(&spin_lock::racy::kernel(), launch, include_str!("spin_lock.rs"));
    }
}
