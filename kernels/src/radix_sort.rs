//! One pass of a stable radix sort over four bits: count, offsets, scatter.

/// Each workgroup sorts 32 keys.
#[hirace::monitor]
pub mod radix_sort {
    use hirace::prelude::*;

    const BLOCK: usize = 32;
    const DIGITS: usize = 16;

    /// The bits that a pass sorts by.
    pub struct Pass {
        /// The lowest of these bits.
        pub shift: u32,
    }

    fn digit(key: u32, shift: u32) -> u32 {
        key >> shift & (DIGITS as u32 - 1)
    }

    /// First dispatch: counts each digit in each block, in digit-major order.
    #[kernel(workgroup_size(BLOCK))]
    pub fn count(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] pass: &Pass,
        keys: &[u32],
        offsets: &mut [u32],
        #[workgroup] counts: &[Atomic<u32>; DIGITS],
    ) {
        counts[digit(keys[id.x], pass.shift)].fetch_add(1);
        workgroup_barrier();
        if lane < DIGITS as u32 {
            offsets[lane * groups.x + group.x] = counts[lane].load();
        }
    }

    /// Second dispatch, of one invocation: computes the offset of each digit of each block.
    #[kernel(workgroup_size(1))]
    pub fn offset(offsets: &mut [u32]) {
        let mut before = 0;
        for i in 0..offsets.len() {
            let count = offsets[i];
            offsets[i] = before;
            before += count;
        }
    }

    /// Third dispatch: moves each key after the keys with the same digit that precede it in its block.
    #[kernel(workgroup_size(BLOCK))]
    pub fn scatter(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] pass: &Pass,
        keys: &[u32],
        offsets: &mut [u32],
        sorted: &mut [u32],
        #[workgroup] digits: &mut [u32; BLOCK],
    ) {
        let key = keys[id.x];
        let own = digit(key, pass.shift);
        digits[lane] = own;
        workgroup_barrier();
        let mut rank = 0;
        for i in 0..lane {
            rank += (digits[i] == own) as u32;
        }
        sorted[offsets[own * groups.x + group.x] + rank] = key;
    }

    /// Third dispatch with a mistake: invocations take the next position of their digit without an atomic, so that
    /// two may take the same.
    #[rustfmt::skip]
    #[kernel(workgroup_size(BLOCK))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        #[uniform] pass: &Pass,
        keys: &[u32],
        offsets: &mut [u32],
        sorted: &mut [u32],
    ) {
        let key = keys[id.x];
        let place = digit(key, pass.shift) * groups.x + group.x;
        sorted[offsets[place]] = key;
//      ^^^^^^^^^^^^^^^^^^^^^^ race: write/write on sorted[..]
//             ^^^^^^^^^^^^^^ race: read/write on offsets[..]
        offsets[place] += 1;
//      ^^^^^^^^^^^^^^ race: read/write on offsets[..]
//      ^^^^^^^^^^^^^^ race: write/read on offsets[..]
    }
}

#[cfg(test)]
mod tests {
    use super::radix_sort::{self, Pass};
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    const GROUPS: u32 = 3;

    fn launch(keys: &[u32], shift: u32) -> Launch {
        Launch::new()
            .buffer("pass", &Pass { shift })
            .buffer("keys", keys)
            .buffer("offsets", &vec![0u32; 16 * GROUPS as usize])
            .buffer("sorted", &vec![0u32; keys.len()])
    }

    fn three(keys: &[u32], shift: u32, last: &str) -> Launch {
        launch(keys, shift).dispatch("count", GROUPS).dispatch("offset", 1).dispatch(last, GROUPS)
    }

    #[test]
    fn four_passes_sort_sixteen_bits() {
        let mut keys = below(1 << 16, 96, 11);
        let mut expected = keys.clone();
        expected.sort_unstable();
        for shift in [0, 4, 8, 12] {
            let run = clean(&radix_sort::count::kernel(), three(&keys, shift, "scatter"));
            keys = run.read::<u32>("sorted");
        }
        assert_eq!(keys, expected);
    }

    #[test]
    fn taking_places_without_an_atomic_races() {
        let launch = three(&below(1 << 16, 96, 11), 0, "racy");
        racy(&radix_sort::count::kernel(), launch, include_str!("radix_sort.rs"));
    }
}
