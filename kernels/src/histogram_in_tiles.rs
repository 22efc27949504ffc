//! A histogram that each workgroup first counts in its own memory.

/// Counts the occurrences of each byte, with 4 bytes per word.
#[hirace::monitor]
pub mod histogram_in_tiles {
    use hirace::prelude::*;

    const BINS: usize = 256;

    /// Counts in workgroup memory, which is fast, and finally adds the counts to storage.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        words: &[u32],
        bins: &[Atomic<u32>; BINS],
        #[workgroup] counts: &[Atomic<u32>; BINS],
    ) {
        let word = words[id.x];
        for byte in 0..4 {
            let value = extract_bits(word, 8 * byte, 8);
            counts[value].fetch_add(1);
        }
        workgroup_barrier();
        for bin in (lane..BINS as u32).step_by(64) {
            let count = counts[bin].load();
            if count != 0 {
                bins[bin].fetch_add(count);
            }
        }
    }

    /// Clears the tile itself, without a barrier before the counting.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        words: &[u32],
        bins: &[Atomic<u32>; BINS],
        #[workgroup] counts: &[Atomic<u32>; BINS],
    ) {
        for bin in (lane..BINS as u32).step_by(64) {
            *counts[bin].plain() = 0;
//          ^^^^^^^^^^^^^^^^^^^^ race: write/atomic on counts[..]
        }
        let word = words[id.x];
        for byte in 0..4 {
            let value = extract_bits(word, 8 * byte, 8);
            counts[value].fetch_add(1);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: atomic/write on counts[..]
        }
        workgroup_barrier();
        for bin in (lane..BINS as u32).step_by(64) {
            let count = counts[bin].load();
            if count != 0 {
                bins[bin].fetch_add(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::histogram_in_tiles;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    fn launch(words: &[u32]) -> Launch {
        Launch::new().workgroups(3).buffer("words", words).buffer("bins", &[0u32; 256])
    }

    #[test]
    fn every_byte_is_counted() {
        let words = numbers(192, 16);
        let run = clean(&histogram_in_tiles::clean::kernel(), launch(&words));
        let mut expected = [0; 256];
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            expected[usize::from(byte)] += 1;
        }
        assert_eq!(run.read::<u32>("bins"), expected);
    }

    #[test]
    fn clearing_must_end_before_counting_begins() {
        let launch = launch(&numbers(192, 16));
        racy(&histogram_in_tiles::racy::kernel(), launch, include_str!("histogram_in_tiles.rs"));
    }
}
