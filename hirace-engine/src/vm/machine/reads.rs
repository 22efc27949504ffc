//! Sets of the reads of one invocation, which are numbered in program order.

use std::ops::{BitOr, BitOrAssign};

/// A set of an invocation's own reads.
///
/// Reads from the 64th on are not distinguished: a set that contains one of them contains all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reads(u64);

/// The bit of all reads from this index on.
const LAST: u32 = 63;

impl Reads {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns the set of the read with this index.
    pub fn one(index: u32) -> Self {
        Self(1 << index.min(LAST))
    }

    /// Returns the indices in the set in ascending order, if `made` reads exist.
    pub fn iter(self, made: u32) -> impl Iterator<Item = u32> {
        let first = (0..LAST.min(made)).filter(move |index| self.0 >> index & 1 == 1);
        let rest = if self.0 >> LAST & 1 == 1 { LAST..made.max(LAST) } else { 0..0 };
        first.chain(rest)
    }
}

impl BitOr for Reads {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Reads {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::Reads;

    #[test]
    fn reads_from_index_63_on_share_one_bit() {
        let set = Reads::one(2) | Reads::one(62);
        assert_eq!(set.iter(70).collect::<Vec<_>>(), [2, 62]);
        let late = set | Reads::one(66);
        assert_eq!(late.iter(66).collect::<Vec<_>>(), [2, 62, 63, 64, 65]);
        assert_eq!(Reads::one(0).iter(1).collect::<Vec<_>>(), [0]);
        assert_eq!(Reads::NONE.iter(70).count(), 0);
    }
}
