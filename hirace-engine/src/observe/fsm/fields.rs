//! The layout of a shadow word: the automaton's state, the last accessor of the granule, and the time of the
//! access.
//!
//! From the top: workgroup, local invocation, workgroup clock, subgroup clock, state (5 bits). A local index
//! consists of the subgroup and the lane. So the relation of two invocations follows from the highest bit in
//! which their words differ, and the barrier between them from the next lower bits.

use super::verdict::{ActionVerdicts, Verdict};
use super::word::Word;
use crate::observe::Shape;
use crate::observe::width::{Barriers, Clocks, Ids, STATE_BITS};

/// The fields of a word for one dispatch, each given by the value of its lowest bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<W> {
    clock: W,
    /// The local index, whose lower part is the lane.
    lane: W,
    /// The upper part of the local index.
    subgroup: W,
    workgroup: W,
}

impl<W: Word> Fields<W> {
    /// Returns the lowest bit of the subgroup clock.
    fn subgroup_clock() -> W {
        W::of(1 << STATE_BITS)
    }

    /// Computes the fields. Clocks get the bits that the dispatch's ids leave, but at most `clock_bits` each.
    /// Ids leave enough bits of a wide word; of a narrow word they do if that is the
    /// [width](crate::observe::width) or if there is one workgroup, because naga allows at most 2¹⁴
    /// invocations per workgroup.
    pub fn new(shape: Shape, barriers: Barriers, clock_bits: u32) -> Self {
        let ids = Ids::of(shape);
        let clocks = Clocks::within(ids.left(W::BITS).unwrap_or(0).max(2), barriers);
        let clock = STATE_BITS + clocks.subgroup.min(clock_bits);
        let lane = clock + clocks.workgroup.min(clock_bits);
        let at = |bit: u32| W::of(1 << bit);
        Self {
            clock: at(clock),
            lane: at(lane),
            subgroup: at(lane + ids.lane),
            workgroup: at(lane + ids.local),
        }
    }

    /// Returns the highest value of the subgroup clock.
    pub fn last_subgroup_clock(&self) -> u64 {
        (self.clock / Self::subgroup_clock()).bits() - 1
    }

    /// Returns the highest value of the workgroup clock.
    pub fn last_clock(&self) -> u64 {
        (self.lane / self.clock).bits() - 1
    }

    /// Returns the word of an access by this invocation at this time, with state 0.
    pub fn stamp(&self, workgroup: u32, local: u32, clock: u64, subgroup_clock: u64) -> W {
        W::from(workgroup).times(self.workgroup)
            | W::from(local).times(self.lane)
            | W::of(clock).times(self.clock)
            | W::of(subgroup_clock).times(Self::subgroup_clock())
    }

    /// Returns the stamp of a lane, given that of lane 0.
    #[inline(always)]
    pub fn of_lane(&self, lane_0: W, lane: u32) -> W {
        lane_0.plus(W::from(lane).times(self.lane))
    }

    /// Returns `word` with both clocks older than any other, if the workgroup was the last accessor.
    pub fn age(&self, word: W, workgroup: u32) -> W {
        if word / self.workgroup == W::from(workgroup) {
            word & !(below(self.lane) ^ below(Self::subgroup_clock()))
        } else {
            word
        }
    }

    /// Returns `word` with a subgroup clock older than any other, if the subgroup was the last accessor.
    pub fn aged_in_subgroup(&self, word: W, workgroup: u32, subgroup: u32) -> W {
        let lane_0 =
            W::from(workgroup).times(self.workgroup) | W::from(subgroup).times(self.subgroup);
        if word / self.subgroup == lane_0 / self.subgroup {
            word & !(below(self.clock) ^ below(Self::subgroup_clock()))
        } else {
            word
        }
    }

    /// Returns the index into an action's [`ActionVerdicts`] for an access: `old` is the current word, `new` the
    /// stamp of the access.
    #[inline(always)]
    pub fn place(&self, old: W, new: W) -> W {
        let differ = old ^ new;
        let relation = W::from(differ >= self.lane)
            .plus(W::from(differ >= self.subgroup))
            .plus(W::from(differ >= self.workgroup));
        let clocks = differ & below(self.lane);
        let sync = W::from(clocks >= Self::subgroup_clock()).plus(W::from(clocks >= self.clock));
        let state = old & below(Self::subgroup_clock());
        state.times(W::from(16u8)) | sync.times(W::from(4u8)) | relation
    }

    /// Returns the automaton's verdict on an access.
    #[inline(always)]
    pub fn judge(&self, verdicts: &ActionVerdicts, old: W, new: W) -> Verdict {
        verdicts.at(self.place(old, new).bits() as usize)
    }
}

/// Returns a mask of all bits below the one that is set.
#[inline(always)]
fn below<W: Word>(bit: W) -> W {
    bit.plus(!W::default())
}
