//! `histo` of Parboil: a histogram whose bins saturate at 255.

/// Workgroups count in bytes, four per word.
#[hirace::monitor]
pub mod histo {
    use hirace::prelude::*;

    const BINS: usize = 64;
    const WORDS: usize = BINS / 4;
    const FULL: u32 = 255;

    /// Counts a value in its byte; on overflow, adds to storage.
    fn count(bytes: &[Atomic<u32>; WORDS], bins: &[Atomic<u32>; BINS], value: u32) {
        let shift = 8 * (value % 4);
        let mut old = bytes[value / 4].load();
        while extract_bits(old, shift, 8) < FULL {
            match bytes[value / 4].compare_exchange_weak(old, old + (1 << shift)) {
                Ok(_) => return,
                Err(now) => old = now,
            }
        }
        bins[value].fetch_add(1);
    }

    /// Adds a workgroup's byte counts to a bin.
    fn add(bytes: &[Atomic<u32>; WORDS], bins: &[Atomic<u32>; BINS], bin: u32) {
        let counted = extract_bits(bytes[bin / 4].load(), 8 * (bin % 4), 8);
        if counted > 0 {
            bins[bin].fetch_add(counted);
        }
    }

    /// First dispatch: counts all values.
    #[kernel(workgroup_size(BINS))]
    pub fn count_all(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(num_workgroups)] groups: UVec3,
        pixels: &[u32],
        bins: &[Atomic<u32>; BINS],
        #[workgroup] bytes: &[Atomic<u32>; WORDS],
    ) {
        for i in (id.x..pixels.len()).step_by(BINS as u32 * groups.x) {
            count(bytes, bins, pixels[i]);
        }
        workgroup_barrier();
        add(bytes, bins, lane);
    }

    /// Second dispatch, of one workgroup: saturates the counts.
    #[kernel(workgroup_size(BINS))]
    pub fn saturate(
        #[builtin(local_invocation_index)] lane: u32,
        bins: &[Atomic<u32>; BINS],
        histogram: &mut [u32; BINS],
    ) {
        histogram[lane] = min(bins[lane].load(), FULL);
    }

    /// Tests whether a byte is full with a plain read: other invocations may count between the test and the addition,
    /// and a full byte overflows into its neighbor.
    #[rustfmt::skip]
    #[kernel(workgroup_size(BINS))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(num_workgroups)] groups: UVec3,
        pixels: &[u32],
        bins: &[Atomic<u32>; BINS],
        #[workgroup] bytes: &[Atomic<u32>; WORDS],
    ) {
        for i in (id.x..pixels.len()).step_by(BINS as u32 * groups.x) {
            let (value, shift) = (pixels[i], 8 * (pixels[i] % 4));
            if extract_bits(*bytes[value / 4].plain(), shift, 8) < FULL {
//                          ^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/atomic on bytes[..]
                bytes[value / 4].fetch_add(1 << shift);
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: atomic/read on bytes[..]
            } else {
                bins[value].fetch_add(1);
            }
        }
        workgroup_barrier();
        add(bytes, bins, lane);
    }
}

#[cfg(test)]
mod tests {
    use super::histo;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    fn launch(pixels: &[u32]) -> Launch {
        Launch::new().buffer("pixels", pixels).buffer("bins", &[0u32; 64])
    }

    fn holds(pixels: &[u32]) {
        let launch = launch(pixels)
            .buffer("histogram", &[0u32; 64])
            .dispatch("count_all", 2)
            .dispatch("saturate", 1);
        let run = clean(&histo::count_all::kernel(), launch);
        let count = |bin| pixels.iter().filter(|pixel| **pixel == bin).count() as u32;
        let expected: Vec<u32> = (0..64).map(count).collect();
        // The bins in storage have the exact counts, without saturation.
        assert_eq!(run.read::<u32>("bins"), expected);
        let full: Vec<u32> = expected.iter().map(|count| *count.min(&255)).collect();
        assert_eq!(run.read::<u32>("histogram"), full);
    }

    #[test]
    fn values_are_counted() {
        holds(&below(64, 1000, 45));
    }

    #[test]
    fn bins_and_the_bytes_of_a_workgroup_fill_up() {
        // 511 times the value 9, 255 times 10, 256 times 11.
        let mut pixels = vec![9; 511];
        pixels.extend([10; 255]);
        pixels.extend([11; 256]);
        holds(&pixels);
        holds(&[63; 1200]);
    }

    #[test]
    fn one_pixel_fills_no_workgroup() {
        holds(&[0]);
    }

    #[test]
    fn a_plain_look_at_a_byte_races_with_counting() {
        let launch = launch(&below(64, 300, 46)).workgroups(1);
        racy(&histo::racy::kernel(), launch, include_str!("histo.rs"));
    }
}
