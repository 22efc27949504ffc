//! A histogram of the upper four bits of each byte of a text.

/// Each workgroup first counts by itself.
#[hirace::monitor]
pub mod private_histogram {
    use hirace::prelude::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    const BINS: usize = 16;

    const fn bin_of(byte: u8) -> usize {
        (byte >> 4) as usize
    }

    /// Each invocation counts four bytes.
    #[kernel(workgroup_size(64))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        words: &[u32],
        counts: &[AtomicU32],
        #[workgroup] private: &[AtomicU32; BINS],
    ) {
        let lane = lane as usize;
        if lane < BINS {
            private[lane].store(0, Relaxed);
        }
        workgroup_barrier();

        if let Some(word) = words.get(id.x as usize) {
            for byte in word.to_le_bytes() {
                private[bin_of(byte)].fetch_add(1, Relaxed);
            }
        }
        workgroup_barrier();

        if lane < BINS {
            let count = private[lane].load(Relaxed);
            if count > 0 {
                counts[lane].fetch_add(count, Relaxed);
            }
        }
    }

    /// Adds the counts of the workgroup without an atomic.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        words: &[u32],
        counts: &mut [u32],
        #[workgroup] private: &[AtomicU32; BINS],
    ) {
        let lane = lane as usize;
        if let Some(word) = words.get(id.x as usize) {
            for byte in word.to_le_bytes() {
                private[bin_of(byte)].fetch_add(1, Relaxed);
            }
        }
        workgroup_barrier();

        if lane < BINS {
            counts[lane] += private[lane].load(Relaxed);
//          ^^^^^^^^^^^^ race: read/write on counts[..]
//          ^^^^^^^^^^^^ race: write/read on counts[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::private_histogram;
    use crate::support::{clean, numbers, racy};
    use hirace::Launch;

    #[test]
    fn every_byte_is_counted() {
        let words = numbers(150, 5);
        let launch = Launch::new().workgroups(3).buffer("words", &words).zeros("counts", 16);
        let run = clean(&private_histogram::clean::kernel(), launch);
        let mut expected = [0; 16];
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            expected[byte as usize / 16] += 1;
        }
        assert_eq!(run.read::<u32>("counts"), expected);
    }

    #[test]
    fn adding_without_an_atomic_races() {
        let launch = Launch::new().workgroups(2).buffer("words", &numbers(128, 6));
        let launch = launch.zeros("counts", 16);
        racy(&private_histogram::racy::kernel(), launch, include_str!("private_histogram.rs"));
    }
}
