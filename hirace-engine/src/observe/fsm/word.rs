//! The 64 bits that follow one granule: the automaton's state, and who touched the granule last when.
//!
//! From the top: workgroup, local invocation, workgroup clock, subgroup clock, state (5 bits). A local
//! index is its subgroup and its lane, so that how two invocations are related shows in the highest
//! bit in which their words differ, and what barrier lies between them in the next lower ones.

use crate::observe::Shape;
use fsm_spec::{Action, Relation, State, Sync};

/// A shadow word. 0 for a granule not yet touched.
pub(super) type Word = u64;

const STATE_BITS: u32 = 5;
const STATE_MASK: Word = (1 << STATE_BITS) - 1;

/// Where things stand in a word, for one dispatch: each field by the value of its lowest bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    clock: Word,
    /// Of the local index, whose lower part is the lane.
    lane: Word,
    /// Of the upper part of the local index.
    subgroup: Word,
    workgroup: Word,
}

/// The lowest bit of the subgroup clock.
const SUBGROUP_CLOCK: Word = 1 << STATE_BITS;

impl Fields {
    /// Clocks get what the dispatch's ids leave, but no more than `clock_bits` each. Ids leave enough:
    /// naga allows workgroups of at most 2¹⁴ invocations.
    pub fn new(shape: Shape, clock_bits: u32) -> Self {
        let bits = |count: u32| count.max(1).next_power_of_two().trailing_zeros();
        let lane_bits = bits(shape.subgroup_size);
        let local_bits = bits(shape.workgroup_size).max(lane_bits);
        let workgroup_bits = bits(shape.workgroups).max(1);
        let left = Word::BITS - STATE_BITS - local_bits - workgroup_bits;
        let clock = SUBGROUP_CLOCK << (left / 2).min(clock_bits);
        let lane = clock << (left - left / 2).min(clock_bits);
        Self { clock, lane, subgroup: lane << lane_bits, workgroup: lane << local_bits }
    }

    /// The highest value of the subgroup clock.
    pub fn last_subgroup_clock(&self) -> u64 {
        self.clock / SUBGROUP_CLOCK - 1
    }

    /// The highest value of the workgroup clock.
    pub fn last_clock(&self) -> u64 {
        self.lane / self.clock - 1
    }

    /// The word that an invocation leaves now, with state 0.
    pub fn stamp(&self, workgroup: u32, local: u32, clock: u64, subgroup_clock: u64) -> Word {
        Word::from(workgroup) * self.workgroup
            + Word::from(local) * self.lane
            + clock * self.clock
            + subgroup_clock * SUBGROUP_CLOCK
    }

    /// The stamp of a lane, from that of lane 0.
    #[inline(always)]
    pub fn of_lane(&self, lane_0: Word, lane: u32) -> Word {
        lane_0 + Word::from(lane) * self.lane
    }

    /// `word` with both clocks older than any other, if it was left by that workgroup.
    pub fn aged(&self, word: Word, workgroup: u32) -> Word {
        if word / self.workgroup == Word::from(workgroup) {
            word & !(self.lane - SUBGROUP_CLOCK)
        } else {
            word
        }
    }

    /// `word` with a subgroup clock older than any other, if it was left by that subgroup.
    pub fn aged_in_subgroup(&self, word: Word, workgroup: u32, subgroup: u32) -> Word {
        let lane_0 = Word::from(workgroup) * self.workgroup + Word::from(subgroup) * self.subgroup;
        if word / self.subgroup == lane_0 / self.subgroup {
            word & !(self.clock - SUBGROUP_CLOCK)
        } else {
            word
        }
    }

    /// What the automaton makes of an access: `old` is the word it finds, `new` its own stamp.
    #[inline(always)]
    pub fn judge(&self, verdicts: &Verdicts, action: Action, old: Word, new: Word) -> Verdict {
        let differ = old ^ new;
        let relation = usize::from(differ >= self.lane)
            + usize::from(differ >= self.subgroup)
            + usize::from(differ >= self.workgroup);
        let clocks = differ & (self.lane - 1);
        let sync = usize::from(clocks >= SUBGROUP_CLOCK) + usize::from(clocks >= self.clock);
        let at = place((old & STATE_MASK) as usize, action.id(), sync, relation);
        verdicts.0[at % VERDICTS]
    }
}

/// What an access does to a shadow word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict(u8);

impl Verdict {
    /// The old word says all that the new one would: no need to write.
    const KEEP: u8 = 1 << 5;
    /// Values may have flowed between workgroups.
    const FLOW: u8 = 1 << 6;
    /// This access is the first that races.
    const RACE: u8 = 1 << 7;

    /// The state after the access.
    pub fn state(self) -> Word {
        Word::from(self.0) & STATE_MASK
    }

    pub fn keeps(self) -> bool {
        self.0 & Self::KEEP != 0
    }

    pub fn flows(self) -> bool {
        self.0 & Self::FLOW != 0
    }

    pub fn races(self) -> bool {
        self.0 & Self::RACE != 0
    }

    /// Whether there is more to it than a new word.
    pub fn remarkable(self) -> bool {
        self.0 & (Self::FLOW | Self::RACE) != 0
    }
}

/// How many verdicts there are: a power of two, so that a look-up needs no bounds check.
const VERDICTS: usize = 1 << 11;

fn place(state: usize, action: usize, sync: usize, relation: usize) -> usize {
    state << 6 | action << 4 | sync << 2 | relation
}

/// The automaton's table with a verdict for each transition.
#[derive(Debug)]
pub(super) struct Verdicts([Verdict; VERDICTS]);

impl Verdicts {
    /// For a table as in [`fsm_spec::TABLE`].
    pub fn new(table: &[u8; fsm_spec::TRANSITIONS]) -> Self {
        let mut verdicts = [Verdict(0); VERDICTS];
        for (at, next) in table.iter().enumerate() {
            if let Some((state, action, sync, relation)) = fsm_spec::table::transition(at)
                && let Some(next) = State::from_id(usize::from(*next))
            {
                let at = place(state.id(), action.id(), sync.id(), relation.id());
                verdicts[at] = verdict(state, sync, relation, next);
            }
        }
        Self(verdicts)
    }
}

fn verdict(state: State, sync: Sync, relation: Relation, next: State) -> Verdict {
    let mut verdict = next as u8;
    if next == state && outlasts(state, sync, relation) {
        verdict |= Verdict::KEEP;
    }
    if next == State::Race && state != State::Race {
        verdict |= Verdict::RACE;
    }
    let several_workgroups =
        relation == Relation::G || matches!(state, State::GRead | State::GAtomG);
    if matches!(next, State::Race | State::GAtomG) && several_workgroups {
        verdict |= Verdict::FLOW;
    }
    Verdict(verdict)
}

/// Whether the last accessor of a word in `state` may stay on record though another access has come
/// that changes nothing else: where later accesses are judged the same for both.
fn outlasts(state: State, sync: Sync, relation: Relation) -> bool {
    use fsm_spec::derive::{Spread, memory};
    match memory(state).map(|memory| memory.spread) {
        None => state == State::Race,
        Some(Spread::Invocation) => false,
        Some(Spread::Subgroup) => sync == Sync::U && matches!(relation, Relation::S | Relation::W),
        Some(Spread::Workgroup) => sync != Sync::B && relation != Relation::G,
        Some(Spread::Dispatch) => true,
    }
}
