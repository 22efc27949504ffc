//! The shadow word: five bits of state, then the clocks of the last access and the ids of its invocation.
//!
//! From the lowest bit: state, clock, subgroup clock, lane, subgroup, workgroup. Ids have as many bits as the launch's shape
//! requires. The clocks share the remaining bits, if there are barriers to count. In a wide word the ids use the upper half, and
//! the clocks use the rest of the lower half after the state.
//!
//! A clock that overflows either restarts, after the words that contain its values were swept, or stops. If it stops, accesses
//! that depend on it are no longer checked, and the instrumented module records this in its log.
//!
//! Where words cannot be swept, the launch is run again with wide words, if the device supports them. Otherwise the report states
//! that some accesses were not checked. docs/book/internals/shadow-memory.md has the details.

use crate::ir::memory::Shape;

/// The number of bits of the state.
pub const STATE_BITS: u32 = 5;

/// The number of bits above the state, in a narrow word or in the lower half of a wide one.
const STAMP_BITS: u32 = u32::BITS - STATE_BITS;

/// The minimum number of bits of a clock that can restart: the value 0 stands for older epochs, and the other values are divided
/// into two halves.
const SWEPT_BITS: u32 = 2;

/// The width of a shadow word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits.
    #[default]
    Narrow,
    /// 64 bits.
    Wide,
}

/// The parts of an access history that a module needs to distinguish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether several workgroups access the same word.
    pub workgroups: bool,
    /// Whether the module has barriers that order this memory.
    pub barriers: bool,
    /// Whether the module has subgroup barriers. Otherwise, subgroups need not be distinguished.
    pub subgroup_barriers: bool,
}

impl Needs {
    /// Returns whether there are barriers to count.
    pub fn clocks(self) -> bool {
        self.barriers || self.subgroup_barriers
    }

    /// Returns the names of the fields in the instrumented module, in the order of [`Fields::masks`], and whether each is
    /// present.
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

/// The masks of the fields above the state, or zero for fields that are not needed. In a wide word, the masks of the ids refer to
/// the upper half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The number of barriers of the memory's class that the workgroup had passed.
    pub clock: u32,
    /// The number of subgroup barriers that the subgroup had passed since the last barrier that `clock` counts.
    pub subgroup_clock: u32,
    /// The invocation in its subgroup, or in its workgroup if subgroups are not distinguished.
    pub lane: u32,
    /// The subgroup in its workgroup, identified by the local index of its first invocation.
    pub subgroup: u32,
    /// The workgroup.
    pub workgroup: u32,
}

impl Fields {
    /// Returns the fields for a launch of this shape, with clocks of at most `clock_bits` bits, or `None` if the ids do not fit.
    pub fn new(shape: Shape, needs: Needs, width: Width, clock_bits: u32) -> Option<Self> {
        let (lanes, subgroups) = if needs.subgroup_barriers {
            // A subgroup is identified by the local index of one of its invocations.
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

    /// Returns whether there is a clock that can restart.
    pub fn sweepable(self) -> bool {
        [self.clock, self.subgroup_clock].iter().any(|clock| clock.count_ones() >= SWEPT_BITS)
    }

    /// Returns all masks, from the lowest bits up.
    pub fn masks(self) -> [u32; 5] {
        [self.clock, self.subgroup_clock, self.lane, self.subgroup, self.workgroup]
    }
}

/// Returns the mask of a field of `bits` bits at bit `at`, and advances `at`.
fn field(at: &mut u32, bits: u32) -> u32 {
    let mask = ((1u64 << bits) - 1) << *at;
    *at += bits;
    mask as u32
}

/// Returns the number of bits that distinguish `count` values.
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
