//! Bounds of data races (Dolan, Sivaramakrishnan & Madhavapeddy, "Bounding Data Races in Space and Time", PLDI 2018; tested on GPUs by
//! GPUHarbor): tests whether the effects of a data race end with the race.
//!
//! Two invocations of a workgroup write different values to the same element, without order. A barrier ends the race. From then on
//! one invocation uses the element alone, so it must hold one of the two values, and reads and writes must have their usual
//! meaning. A compiler that reads an element twice where the shader reads it once, or moves an access across the barrier because it
//! assumes that there is no race, breaks this.

#[cfg(feature = "gpu")]
mod device;
mod results;
mod shader;

pub use results::{RaceBounds, RaceBoundsRun, RaceBoundsTiming, SCHEMA};

use serde::{Deserialize, Serialize};

/// How the element is used after the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Two reads, which must have the same value.
    ReadRead,
    /// A read and then a write, which the read must not see.
    ReadWrite,
    /// A write and then a read, which must see the write.
    WriteRead,
}

/// The memory that the race is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Storage memory.
    Storage,
    /// Workgroup memory.
    Workgroup,
}

/// A test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceBoundsTest {
    /// How the element is used after the race.
    pub after: Use,
    /// The memory that the race is on.
    pub memory: Memory,
}

impl RaceBoundsTest {
    /// All tests, by name.
    pub const NAMED: [(&str, Self); 6] = [
        ("rr-storage", Self { after: Use::ReadRead, memory: Memory::Storage }),
        ("rr-workgroup", Self { after: Use::ReadRead, memory: Memory::Workgroup }),
        ("rw-storage", Self { after: Use::ReadWrite, memory: Memory::Storage }),
        ("rw-workgroup", Self { after: Use::ReadWrite, memory: Memory::Workgroup }),
        ("wr-storage", Self { after: Use::WriteRead, memory: Memory::Storage }),
        ("wr-workgroup", Self { after: Use::WriteRead, memory: Memory::Workgroup }),
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Counts the elements of a result that break the bounds. The result has two words for each element: what was read first and
    /// second.
    pub fn count(self, words: &[u32]) -> RaceBoundsCounts {
        let mut counts = RaceBoundsCounts::default();
        for pair in words.chunks_exact(2) {
            let values = (pair[0], pair[1]);
            match self.classify(values) {
                Some(true) => {}
                Some(false) => counts.unbounded += 1,
                None => counts.other += 1,
            }
        }
        counts
    }

    /// Returns whether the values that were read respect the bounds, or `None` if one of them was never written.
    fn classify(self, (first, second): (u32, u32)) -> Option<bool> {
        let written = match self.after {
            Use::ReadRead => [FIRST, SECOND].as_slice(),
            Use::ReadWrite | Use::WriteRead => &[FIRST, SECOND, LATER],
        };
        if !written.contains(&first) || !written.contains(&second) {
            return None;
        }
        Some(match self.after {
            Use::ReadRead => first == second,
            Use::ReadWrite => first != LATER && second == LATER,
            Use::WriteRead => first == LATER && second == LATER,
        })
    }
}

/// The value that an invocation writes to its own element.
const FIRST: u32 = 1;
/// The value that it writes to the element of another invocation.
const SECOND: u32 = 2;
/// The value that is written after the race.
const LATER: u32 = 3;

/// The numbers of elements of a dispatch that are not as they should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaceBoundsCounts {
    /// The number of elements at which the effects of the race continue after the barrier.
    pub unbounded: u64,
    /// The number of elements with a value that no invocation writes.
    pub other: u64,
}

/// The size of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RaceBoundsSize {
    /// The number of workgroups.
    pub workgroups: u32,
    /// The number of elements and of invocations of each workgroup: at least two, because two invocations race on an element.
    pub workgroup_size: u32,
}

impl RaceBoundsSize {
    /// Returns the number of elements.
    pub fn elements(&self) -> u64 {
        u64::from(self.workgroups) * u64::from(self.workgroup_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_its_bounds() {
        let counts = |name: &str, words: &[u32]| {
            let named = RaceBoundsTest::NAMED.iter().find(|(known, _)| *known == name);
            let RaceBoundsCounts { unbounded, other } = named.unwrap().1.count(words);
            [unbounded, other]
        };
        assert_eq!(counts("rr-storage", &[1, 1, 2, 2]), [0, 0]);
        assert_eq!(counts("rr-workgroup", &[1, 2, 2, 1, 0, 0, 3, 3]), [2, 2]);
        assert_eq!(counts("rw-storage", &[1, 3, 2, 3]), [0, 0]);
        assert_eq!(counts("rw-workgroup", &[3, 3, 2, 2, 7, 3]), [2, 1]);
        assert_eq!(counts("wr-storage", &[3, 3]), [0, 0]);
        assert_eq!(counts("wr-workgroup", &[1, 3, 3, 2, 3, 0]), [2, 1]);
    }
}
