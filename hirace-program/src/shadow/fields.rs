//! The shadow word: five bits of state, then the last access's clocks and the ids of who did it.
//!
//! From the lowest bit: state, clock, subgroup clock, lane, subgroup, workgroup. Ids take the bits
//! that the launch's shape needs; the clocks share what is left, as far as there are barriers to
//! count. A clock that runs out stops, and what would need it is no longer judged: the instrumented
//! module says so in its log.

use crate::ir::memory::Shape;

/// Bits of the state.
pub const STATE_BITS: u32 = 5;

/// Bits above it.
const STAMP_BITS: u32 = u32::BITS - STATE_BITS;

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

/// The masks of the fields above the state; zero for what is not needed.
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
    pub fn new(shape: Shape, needs: Needs, clock_bits: u32) -> Option<Self> {
        let (lanes, subgroups) = if needs.subgroup_barriers {
            // Subgroups are known by the local index of an invocation of theirs.
            (shape.subgroup_size, shape.workgroup_size)
        } else {
            (shape.workgroup_size, 1)
        };
        let workgroups = if needs.workgroups { shape.workgroups } else { 1 };
        let [lane, subgroup, workgroup] = [lanes, subgroups, workgroups].map(width);
        let rest = STAMP_BITS.checked_sub(lane + subgroup + workgroup)?;
        let subgroup_clock = match (needs.subgroup_barriers, needs.barriers) {
            (false, _) => 0,
            (true, false) => rest,
            (true, true) => rest / 2,
        };
        let clock = if needs.barriers { rest - subgroup_clock } else { 0 };
        let mut at = STATE_BITS;
        let mut field = |width: u32| {
            let mask = ((1u64 << width) - 1) << at;
            at += width;
            mask as u32
        };
        Some(Self {
            clock: field(clock.min(clock_bits)),
            subgroup_clock: field(subgroup_clock.min(clock_bits)),
            lane: field(lane),
            subgroup: field(subgroup),
            workgroup: field(workgroup),
        })
    }

    /// All of them, from the lowest bits up.
    pub fn masks(self) -> [u32; 5] {
        [self.clock, self.subgroup_clock, self.lane, self.subgroup, self.workgroup]
    }
}

/// The bits that tell `count` things apart.
fn width(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Needs = Needs { workgroups: true, barriers: true, subgroup_barriers: true };

    fn shape(workgroups: u32, workgroup_size: u32) -> Shape {
        Shape { workgroups, workgroup_size, subgroup_size: 32 }
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
                let f = Fields::new(shape, needs, 32).unwrap();
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
        let fields = Fields::new(shape(1 << 12, 1 << 8), needs, 32).unwrap();
        assert_eq!(fields.clock.count_ones(), 7);
        assert_eq!(fields.subgroup_clock, 0);
    }

    #[test]
    fn nothing_is_kept_that_no_barrier_or_workgroup_needs() {
        let fields = Fields::new(shape(64, 256), Needs::default(), 32).unwrap();
        assert_eq!(fields, Fields { lane: 0xff << 5, ..Fields::default() });
    }

    #[test]
    fn ids_that_do_not_fit_are_refused() {
        let needs = Needs { subgroup_barriers: false, ..ALL };
        assert_eq!(Fields::new(shape(1 << 20, 256), needs, 32), None);
        assert_eq!(Fields::new(shape(1 << 19, 256), needs, 32).unwrap().clock, 0);
        assert_eq!(Fields::new(shape(1 << 19, 256), ALL, 32), None);
    }
}
