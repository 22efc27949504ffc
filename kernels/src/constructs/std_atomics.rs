//! Atomics of `std`: the same memory as `Atomic`, with an explicit ordering.

/// Buckets with counts, and the result of each operation.
#[hirace::monitor]
pub mod std_atomics {
    use core::sync::atomic::AtomicI32;
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Results over all values.
    pub struct Gathered {
        /// The sum.
        pub sum: AtomicU32,
        /// The minimum and the maximum.
        pub ends: [AtomicI32; 2],
    }

    fn claim(lock: &AtomicU32, owner: u32) -> bool {
        lock.compare_exchange(0, owner, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Uses every operation, through parameters, members, workgroup memory and helper functions.
    #[kernel(workgroup_size(16))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        values: &[i32],
        counts: &[AtomicU32],
        gathered: &Gathered,
        owner: &AtomicU32,
        #[workgroup] bits: &[AtomicU32; 4],
        #[workgroup] most: &AtomicI32,
    ) {
        let value = values[id.x];
        let old =
            counts[value.unsigned_abs() as usize % counts.len()].fetch_add(1, Ordering::Relaxed);
        gathered.sum.fetch_add(old - old + value as u32, std::sync::atomic::Ordering::Relaxed);
        gathered.ends[0].fetch_min(value, Ordering::Relaxed);
        gathered.ends[1].fetch_max(value, Ordering::Relaxed);
        bits[0].fetch_or(1 << lane, Ordering::Relaxed);
        bits[1].fetch_xor(1 << lane, Ordering::Relaxed);
        if lane < 2 {
            bits[2 + lane].store(0xff, Ordering::Relaxed);
        }
        most.fetch_max(value, Ordering::Relaxed);
        workgroup_barrier();
        bits[2].fetch_and(!(1 << (lane % 8)), Ordering::Relaxed);
        bits[3].fetch_sub(1, Ordering::Relaxed);
        workgroup_barrier();
        if lane == 0 {
            let all = bits[0].load(Ordering::Relaxed) ^ bits[1].swap(0, Ordering::Relaxed);
            gathered.sum.fetch_add(
                all + bits[2].load(Ordering::Relaxed) + bits[3].load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
            gathered.ends[1].fetch_max(most.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        if claim(owner, 7) {
            let mut seen = gathered.sum.load(Ordering::Relaxed);
            while let Err(now) = gathered.sum.compare_exchange_weak(
                seen,
                seen + 1000,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                seen = now;
            }
        }
    }

    /// Finds the last invocation with a relaxed counter, which does not order the earlier writes.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        done: &AtomicU32,
        parts: &mut [u32; 16],
        sum: &mut u32,
    ) {
        parts[lane] = lane;
//      ^^^^^^^^^^^ race: write/read on parts[..]
        if done.fetch_add(1, Ordering::Relaxed) == 15 {
            for i in 0..16 {
                *sum += parts[i];
//                      ^^^^^^^^ race: read/write on parts[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::std_atomics;
    use crate::support::{clean, integers, racy};
    use hirace::Launch;

    #[test]
    fn atomics_of_std_are_atomics() {
        let values = integers(50, 32, 4);
        let launch = Launch::new()
            .workgroups(2)
            .buffer("values", &values)
            .buffer("counts", &[0u32; 10])
            .buffer("gathered", &(0u32, [1000i32, -1000]))
            .buffer("owner", &0u32);
        let run = clean(&std_atomics::clean::kernel(), launch);
        let mut counts = [0u32; 10];
        values.iter().for_each(|value| counts[value.unsigned_abs() as usize % 10] += 1);
        assert_eq!(run.read::<u32>("counts"), counts);
        let sum = values.iter().sum::<i32>().wrapping_add(2 * (0xff - 16) + 1000) as u32;
        let ends = [*values.iter().min().unwrap(), *values.iter().max().unwrap()];
        assert_eq!(run.one::<(u32, [i32; 2])>("gathered"), (sum, ends));
        assert_eq!(run.one::<u32>("owner"), 7);
        let held: std_atomics::Gathered = run.one("gathered");
        assert_eq!(held.sum.into_inner(), sum);
    }

    #[test]
    fn an_atomic_counter_orders_nothing() {
        let launch = Launch::new()
            .workgroups(1)
            .buffer("done", &0u32)
            .buffer("parts", &[0u32; 16])
            .buffer("sum", &0u32);
        racy(&std_atomics::racy::kernel(), launch, include_str!("std_atomics.rs"));
    }
}
