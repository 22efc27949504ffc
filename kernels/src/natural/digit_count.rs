//! Radix sort: counts the digits of each block.

/// Digits of any number of bits.
#[hirace::monitor]
pub mod digit_count {
    use super::super::shared::radix::{BITS, Digit, RADIX};
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const KEYS_PER_LANE: usize = 4;
    const LANES: usize = 64;
    const BLOCK: usize = LANES * KEYS_PER_LANE;

    /// Stores the counts in the order that the scan needs: those of all blocks for digit 0, then for digit 1, and so on.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] pass: u32,
        keys: &[u32],
        counts: &mut [u32],
        #[workgroup] local: &[AtomicU32; RADIX],
    ) {
        let (lane, group) = (lane as usize, group.x as usize);
        let digit = Digit::of_pass(pass);
        let start = group * BLOCK + lane;
        for &key in keys.iter().skip(start).step_by(LANES).take(KEYS_PER_LANE) {
            local[digit.of(key)].fetch_add(1, Ordering::Relaxed);
        }
        workgroup_barrier();
        if lane < RADIX {
            counts[lane * groups.x as usize + group] = local[lane].load(Ordering::Relaxed);
        }
    }

    /// All blocks write to the same elements.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(global_invocation_id)] id: UVec3,
        keys: &[u32],
        counts: &mut [u32],
        #[workgroup] local: &[AtomicU32; RADIX],
    ) {
        let digit = keys[id.x as usize] & ((1 << BITS) - 1);
        local[digit as usize].fetch_add(1, Ordering::Relaxed);
        workgroup_barrier();
        if (lane as usize) < RADIX {
            counts[lane as usize] = local[lane as usize].load(Ordering::Relaxed);
//          ^^^^^^^^^^^^^^^^^^^^^ race: write/write on counts[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::digit_count;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn digits_are_counted() {
        let keys = numbers(600, 190);
        for pass in [0u32, 3, 7] {
            let launch = Launch::new().workgroups(3).buffer("pass", &pass);
            let launch = launch.buffer("keys", &keys).zeros("counts", 48);
            let run = clean(&digit_count::clean::kernel(), launch);
            let mut expected = [0u32; 48];
            for (i, key) in keys.iter().enumerate() {
                expected[(key / 16u32.pow(pass) % 16) as usize * 3 + i / 256] += 1;
            }
            assert_eq!(run.read::<u32>("counts"), expected);
        }
    }

    #[test]
    fn counts_in_one_place_race() {
        let launch = Launch::new().workgroups(2).buffer("keys", &numbers(128, 191));
        let launch = launch.zeros("counts", 16);
        racy(&digit_count::racy::kernel(), launch, include_str!("digit_count.rs"));
    }
}
