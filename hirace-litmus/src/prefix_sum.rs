//! A prefix sum by decoupled look-back (Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
//! 2016): an application whose workgroups pass messages to one another within a dispatch.
//!
//! Each workgroup sums its elements, publishes the sum, and then adds what its predecessors published, back to the first
//! one that knows its whole prefix. The result is wrong if a workgroup sees that a sum was published, but not the sum. A
//! workgroup takes the next part when it starts, so all workgroups before it have started too. It still waits forever if the
//! device does not let them go on, so it gives up after a number of iterations.

#[cfg(feature = "gpu")]
mod device;
mod results;
mod shader;

pub use results::{PrefixSumCounts, PrefixSumRun, PrefixSumTiming, PrefixSums, SCHEMA};

use serde::{Deserialize, Serialize};

/// How workgroups publish sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A sum and its flag are in one atomic word, so that nothing must be ordered: correct by WGSL's memory model.
    Packed,
    /// A sum is in plain memory, and its flag is an atomic. Nothing orders the two.
    Split,
    /// As [`Protocol::Split`], with storage barriers between sum and flag, the only ordering that WGSL offers.
    SplitFenced,
}

impl Protocol {
    /// All protocols, by name.
    pub const NAMED: [(&str, Self); 3] =
        [("packed", Self::Packed), ("split", Self::Split), ("split-fenced", Self::SplitFenced)];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

/// The size of a prefix sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrefixSumSize {
    /// The number of workgroups.
    pub workgroups: u32,
    /// The number of elements of each workgroup, and of its invocations.
    pub workgroup_size: u32,
    /// The number of iterations of the look-back after which a workgroup gives up.
    pub max_loop_iterations: u32,
}

impl PrefixSumSize {
    /// Returns the number of elements.
    pub fn elements(&self) -> u64 {
        u64::from(self.workgroups) * u64::from(self.workgroup_size)
    }

    /// Counts the elements of a result that are wrong, and those that are missing because a workgroup gave up: they are 0, and
    /// the flag does not say that the prefix is published.
    pub fn count(&self, flags: &[u32], sums: &[u32]) -> PrefixSumCounts {
        let mut counts = PrefixSumCounts::default();
        let mut expected = 0_u32;
        let parts = sums.chunks(self.workgroup_size.max(1) as usize);
        let mut index = 0;
        for (flag, sums) in flags.iter().zip(parts) {
            for sum in sums {
                expected = expected.wrapping_add(element(index));
                index += 1;
                match flag >> 30 {
                    _ if *sum == expected => {}
                    // A right sum is never 0, and an element that was not written is.
                    of if *sum != 0 || of == PUBLISHED_PREFIX => counts.wrong += 1,
                    _ => counts.missing += 1,
                }
            }
        }
        counts
    }
}

/// The two highest bits of the flag of a part whose prefix is published.
const PUBLISHED_PREFIX: u32 = 2;

/// Returns an element of the input, from 1 to 16: neighbors differ, so that a sum of other elements is another sum.
fn element(index: u32) -> u32 {
    1 + (index.wrapping_mul(0x9e37_79b1) >> 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_and_missing_sums_are_counted() {
        let size = PrefixSumSize { workgroups: 2, workgroup_size: 4, max_loop_iterations: 9 };
        let mut sums: Vec<u32> = (0..8)
            .map(element)
            .scan(0, |sum, element| {
                *sum += element;
                Some(*sum)
            })
            .collect();
        let done = PUBLISHED_PREFIX << 30;
        assert_eq!(size.count(&[done; 2], &sums), PrefixSumCounts { wrong: 0, missing: 0 });
        sums[2] = 0;
        sums[6] = 0;
        sums[7] += 1;
        assert_eq!(size.count(&[done; 2], &sums), PrefixSumCounts { wrong: 3, missing: 0 });
        // A sum that is wrong and not 0 was written.
        assert_eq!(size.count(&[done, 1 << 30], &sums), PrefixSumCounts { wrong: 2, missing: 1 });
    }
}
