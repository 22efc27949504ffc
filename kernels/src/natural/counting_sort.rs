//! Sorts small keys by counting.

/// One workgroup sorts all keys.
#[hirace::monitor]
pub mod counting_sort {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    const LANES: usize = 64;
    const KEYS: usize = 32;

    /// Counts the keys, computes their offsets, and writes each key as often as it occurs.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        keys: &[u32],
        sorted: &mut [u32],
        #[workgroup] counts: &[AtomicU32; KEYS],
        #[workgroup] starts: &mut [u32; KEYS + 1],
    ) {
        let lane = lane as usize;
        for i in (lane..keys.len()).step_by(LANES) {
            counts[keys[i] as usize].fetch_add(1, Relaxed);
        }
        workgroup_barrier();

        if lane == 0 {
            let mut sum = 0;
            for (start, count) in starts[1..].iter_mut().zip(counts.iter()) {
                sum += count.load(Relaxed);
                *start = sum;
            }
        }
        workgroup_barrier();

        if lane < KEYS {
            let (start, end) = (starts[lane] as usize, starts[lane + 1] as usize);
            sorted[start..end].fill(lane as u32);
        }
    }

    /// Writes one key too many for each key.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(#[builtin(local_invocation_index)] lane: u32, starts: &[u32], sorted: &mut [u32]) {
        let lane = lane as usize;
        if lane < KEYS {
            for place in starts[lane]..=starts[lane + 1] {
                sorted[place as usize] = lane as u32;
//              ^^^^^^^^^^^^^^^^^^^^^^ race: write/write on sorted[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::counting_sort;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn keys_are_sorted() {
        let keys = below(32, 200, 210);
        let launch = Launch::new().workgroups(1).buffer("keys", &keys).zeros("sorted", 200);
        let run = clean(&counting_sort::clean::kernel(), launch);
        let mut expected = keys;
        expected.sort();
        assert_eq!(run.read::<u32>("sorted"), expected);
    }

    #[test]
    fn places_of_two_keys_race() {
        let starts: Vec<u32> = (0..33).map(|i| i * 4).collect();
        let launch = Launch::new().workgroups(1).buffer("starts", &starts).zeros("sorted", 129);
        racy(&counting_sort::racy::kernel(), launch, include_str!("counting_sort.rs"));
    }
}
