//! The width of shadow words, which follows from the ids of a dispatch and the clocks that it needs.

use super::Shape;
use crate::vm::observer::Space;
use naga::Barrier as Flags;

/// Number of bits of a shadow word for the automaton's state.
pub(super) const STATE_BITS: u32 = 5;

/// Memory that barriers order has narrow words only if there are at most this many workgroups per value of a
/// clock. When a clock overflows, its workgroup visits all shadow words, so overflows must be rare.
const MAX_WORKGROUPS_PER_CLOCK_VALUE: u64 = 8;

/// The width of shadow words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
}

impl Width {
    /// Returns the number of bytes of a word.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Narrow => 4,
            Self::Wide => 8,
        }
    }

    /// Returns the width that suffices for memory that the workgroups of a dispatch share: narrow if each
    /// clock gets a bit and clocks overflow so rarely that the cost is negligible.
    pub fn of(shape: Shape, barriers: Barriers) -> Self {
        let left = Ids::of(shape).left(u32::BITS).filter(|left| *left >= 2);
        let Some(left) = left else { return Self::Wide };
        let clocks = Clocks::within(left, barriers);
        let lasts =
            |bits: u32| MAX_WORKGROUPS_PER_CLOCK_VALUE << bits >= u64::from(shape.workgroups);
        let narrow = (!barriers.in_workgroup || lasts(clocks.workgroup))
            && (!barriers.in_subgroup || lasts(clocks.subgroup));
        if narrow { Self::Narrow } else { Self::Wide }
    }
}

/// Which barriers of a kernel order a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barriers {
    /// Whether workgroup barriers order the memory.
    pub in_workgroup: bool,
    /// Whether subgroup barriers order the memory.
    pub in_subgroup: bool,
}

/// The memory classes that the barriers of a kernel order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedClasses {
    /// Classes ordered among the invocations of a workgroup.
    pub in_workgroup: Flags,
    /// Classes ordered among the invocations of a subgroup.
    pub in_subgroup: Flags,
}

impl OrderedClasses {
    /// The value to assume if nothing is known of the barriers.
    pub const ALL: Self = Self { in_workgroup: Flags::all(), in_subgroup: Flags::all() };

    /// Returns the barriers that order this space.
    pub fn barriers(self, space: Space) -> Barriers {
        let of_space = match space {
            Space::Workgroup => Flags::WORK_GROUP,
            Space::Storage | Space::Texture => Flags::STORAGE.union(Flags::TEXTURE),
        };
        Barriers {
            in_workgroup: self.in_workgroup.intersects(of_space),
            in_subgroup: self.in_subgroup.intersects(of_space),
        }
    }
}

/// The number of bits that the ids of a dispatch take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids {
    pub lane: u32,
    pub local: u32,
    pub workgroup: u32,
}

impl Ids {
    pub fn of(shape: Shape) -> Self {
        let bits = |count: u32| count.max(1).next_power_of_two().trailing_zeros();
        let lane = bits(shape.subgroup_size);
        let local = bits(shape.workgroup_size).max(lane);
        Self { lane, local, workgroup: bits(shape.workgroups).max(1) }
    }

    /// Returns the number of bits that remain for clocks in a word of `word` bits.
    pub fn left(self, word: u32) -> Option<u32> {
        word.checked_sub(STATE_BITS + self.local + self.workgroup)
    }
}

/// The number of bits of both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    pub workgroup: u32,
    pub subgroup: u32,
}

impl Clocks {
    /// Distributes `bits` bits, at least two. A clock that no barrier advances gets one.
    pub fn within(bits: u32, barriers: Barriers) -> Self {
        let subgroup = if barriers.in_subgroup { bits / 2 } else { 1 };
        Self { workgroup: bits - subgroup, subgroup }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(workgroups: u32, barriers: [bool; 2]) -> Width {
        let [in_workgroup, in_subgroup] = barriers;
        let shape = Shape { workgroups, workgroup_size: 64, subgroup_size: 32 };
        Width::of(shape, Barriers { in_workgroup, in_subgroup })
    }

    #[test]
    fn words_are_wide_where_ids_leave_no_room_for_clocks() {
        assert_eq!(width(1 << 19, [false; 2]), Width::Narrow);
        assert_eq!(width((1 << 19) + 1, [false; 2]), Width::Wide);
    }

    #[test]
    fn words_are_wide_where_clocks_would_run_out_all_the_time() {
        assert_eq!(width(1 << 11, [true, false]), Width::Narrow);
        assert_eq!(width(1 << 16, [true, false]), Width::Wide);
        assert_eq!(width(1 << 16, [false; 2]), Width::Narrow);
        assert_eq!(width(1 << 12, [true; 2]), Width::Wide);
    }
}
