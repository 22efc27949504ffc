//! The shadow word: five bits of state, then the last access's clocks and the ids of who did it.
//!
//! From the lowest bit: state, clock, subgroup clock, lane, subgroup, workgroup. Ids take the bits
//! that the launch's shape needs; the clocks share what is left, as far as there are barriers to
//! count. In a wide word the ids have the upper half and the clocks what the state leaves of the lower.
//!
//! A clock that runs out either starts anew, after the words that it is known from were swept, or
//! stops, and what would need it is no longer judged: the instrumented module says so in its log.

use crate::ir::memory::Shape;

/// Bits of the state.
pub const STATE_BITS: u32 = 5;

/// Bits above it.
const STAMP_BITS: u32 = u32::BITS - STATE_BITS;

/// The fewest bits of a clock that can start anew: the value 0 is for what is older, and there are two
/// halves of others.
const SWEPT_BITS: u32 = 2;

/// How long a shadow word is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits.
    #[default]
    Narrow,
    /// 64 bits.
    Wide,
}

/// Which parts of a history a module can tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether accesses of several workgroups meet in a word.
    pub workgroups: bool,
    /// Whether the module has barriers that order this memory.
    pub barriers: bool,
    /// Whether it has subgroup barriers. Without, subgroups make no difference.
    pub subgroup_barriers: bool,
}

impl Needs {
    /// Whether there is anything to count.
    pub fn clocks(self) -> bool {
        self.barriers || self.subgroup_barriers
    }

    /// The names of the fields, as the instrumented module calls them, in the order of
    /// [`Fields::masks`]; and whether each is there at all.
    pub fn fields(self) -> [(&'static str, bool); 5] {
        [
            ("clock", self.barriers),
            ("subgroup_clock", self.subgroup_barriers),
            ("lane_id", true),
            ("subgroup_id", self.subgroup_barriers),
            ("workgroup_id", self.workgroups),
        ]
    }
}

/// The masks of the fields above the state, those of the ids within the upper half if the word is wide;
/// zero for what is not needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Barriers of the memory's class that the workgroup had passed.
    pub clock: u32,
    /// Subgroup barriers that the subgroup had passed since the last of those.
    pub subgroup_clock: u32,
    /// The invocation in its subgroup, or in its workgroup where subgroups make no difference.
    pub lane: u32,
    /// The subgroup in its workgroup: the local index of its first invocation.
    pub subgroup: u32,
    /// The workgroup.
    pub workgroup: u32,
}

impl Fields {
    /// The fields for a launch of this shape, with clocks of at most so many bits; `None` if the ids
    /// alone do not fit.
    pub fn new(shape: Shape, needs: Needs, width: Width, clock_bits: u32) -> Option<Self> {
        let (lanes, subgroups) = if needs.subgroup_barriers {
            // Subgroups are known by the local index of an invocation of theirs.
            (shape.subgroup_size, shape.workgroup_size)
        } else {
            (shape.workgroup_size, 1)
        };
        let workgroups = if needs.workgroups { shape.workgroups } else { 1 };
        let [lane, subgroup, workgroup] = [lanes, subgroups, workgroups].map(bits);
        let ids = lane + subgroup + workgroup;
        let rest = match width {
            Width::Narrow => STAMP_BITS.checked_sub(ids)?,
            Width::Wide => u32::BITS.checked_sub(ids).map(|_| STAMP_BITS)?,
        };
        let subgroup_clock = match (needs.subgroup_barriers, needs.barriers) {
            (false, _) => 0,
            (true, false) => rest,
            (true, true) => rest / 2,
        };
        let clock = if needs.barriers { rest - subgroup_clock } else { 0 };
        let mut at = STATE_BITS;
        let clock = field(&mut at, clock.min(clock_bits));
        let subgroup_clock = field(&mut at, subgroup_clock.min(clock_bits));
        if width == Width::Wide {
            at = 0;
        }
        Some(Self {
            clock,
            subgroup_clock,
            lane: field(&mut at, lane),
            subgroup: field(&mut at, subgroup),
            workgroup: field(&mut at, workgroup),
        })
    }

    /// Whether there is a clock that can start anew.
    pub fn sweepable(self) -> bool {
        [self.clock, self.subgroup_clock].iter().any(|clock| clock.count_ones() >= SWEPT_BITS)
    }

    /// All of them, from the lowest bits up.
    pub fn masks(self) -> [u32; 5] {
        [self.clock, self.subgroup_clock, self.lane, self.subgroup, self.workgroup]
    }
}

/// The mask of a field of so many bits that starts at bit `at`, which is moved past it.
fn field(at: &mut u32, bits: u32) -> u32 {
    let mask = ((1u64 << bits) - 1) << *at;
    *at += bits;
    mask as u32
}

/// The bits that tell `count` things apart.
fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Needs = Needs { workgroups: true, barriers: true, subgroup_barriers: true };

    fn shape(workgroups: u32, workgroup_size: u32) -> Shape {
        Shape { workgroups, workgroup_size, subgroup_size: 32 }
    }

    fn narrow(shape: Shape, needs: Needs) -> Option<Fields> {
        Fields::new(shape, needs, Width::Narrow, 32)
    }

    #[test]
    fn fields_fill_the_word_and_do_not_overlap() {
        for needs in [
            ALL,
            Needs { workgroups: false, ..ALL },
            Needs { barriers: false, ..ALL },
            Needs { subgroup_barriers: false, ..ALL },
        ] {
            for shape in [shape(1, 1), shape(7, 33), shape(1024, 1024), shape(65535, 32)] {
                let f = narrow(shape, needs).unwrap();
                let union = f.masks().iter().fold(31, |union, mask| {
                    assert_eq!(union & mask, 0, "{f:?}");
                    union | mask
                });
                assert_eq!(union, u32::MAX, "{f:?}");
            }
        }
    }

    #[test]
    fn a_million_invocations_leave_seven_clock_bits() {
        let needs = Needs { subgroup_barriers: false, ..ALL };
        let fields = narrow(shape(1 << 12, 1 << 8), needs).unwrap();
        assert_eq!(fields.clock.count_ones(), 7);
        assert_eq!(fields.subgroup_clock, 0);
    }

    #[test]
    fn nothing_is_kept_that_no_barrier_or_workgroup_needs() {
        let fields = narrow(shape(64, 256), Needs::default()).unwrap();
        assert_eq!(fields, Fields { lane: 0xff << 5, ..Fields::default() });
    }

    #[test]
    fn ids_that_do_not_fit_are_refused() {
        let needs = Needs { subgroup_barriers: false, ..ALL };
        assert_eq!(narrow(shape(1 << 20, 256), needs), None);
        assert_eq!(narrow(shape(1 << 19, 256), needs).unwrap().clock, 0);
        assert_eq!(narrow(shape(1 << 19, 256), ALL), None);
    }

    #[test]
    fn a_wide_word_has_room_for_four_billion_invocations() {
        let fields = Fields::new(shape(1 << 22, 1 << 10), ALL, Width::Wide, 32);
        assert_eq!(fields, None);
        let needs = Needs { subgroup_barriers: false, ..ALL };
        let fields = Fields::new(shape(1 << 22, 1 << 10), needs, Width::Wide, 32).unwrap();
        assert_eq!((fields.lane, fields.workgroup), (0x3ff, u32::MAX << 10));
        assert_eq!(fields.clock, u32::MAX << STATE_BITS);
        let fields = Fields::new(shape(1 << 17, 1 << 10), ALL, Width::Wide, 32).unwrap();
        assert_eq!(fields.clock.count_ones() + fields.subgroup_clock.count_ones(), STAMP_BITS);
        assert_eq!(fields.lane | fields.subgroup | fields.workgroup, u32::MAX);
    }
}
