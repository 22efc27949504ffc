//! The automaton's table, with all information that an access needs.

use crate::observe::width::STATE_BITS;
use fsm_spec::{Action, Relation, State, Sync};

/// The effect of an access on a shadow word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict(u8);

impl Verdict {
    /// The old word contains everything that the new one would: no write is needed.
    const KEEP: u8 = 1 << 5;
    /// Values may have flowed between workgroups.
    const FLOW: u8 = 1 << 6;
    /// The access makes the word racy, which it was not before.
    const RACE: u8 = 1 << 7;

    /// Returns the state after the access.
    #[inline(always)]
    pub fn state(self) -> u8 {
        self.0 & ((1 << STATE_BITS) - 1)
    }

    /// Returns whether the word may remain unchanged.
    #[inline(always)]
    pub fn keeps(self) -> bool {
        self.0 & Self::KEEP != 0
    }

    pub fn flows(self) -> bool {
        self.0 & Self::FLOW != 0
    }

    pub fn races(self) -> bool {
        self.0 & Self::RACE != 0
    }

    /// Returns whether there is a race or a flow of values.
    #[inline(always)]
    pub fn remarkable(self) -> bool {
        self.0 & (Self::FLOW | Self::RACE) != 0
    }
}

/// Number of verdicts of an action: a power of two, so that a look-up needs no bounds check.
const VERDICTS: usize = 1 << (STATE_BITS + 4);

fn place(state: usize, sync: usize, relation: usize) -> usize {
    state << 4 | sync << 2 | relation
}

/// The automaton's table, with a verdict for each transition.
#[derive(Debug)]
pub(super) struct Verdicts {
    by_action: [ActionVerdicts; 4],
    update: ActionVerdicts,
}

/// The verdicts of one action.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActionVerdicts {
    verdicts: [Verdict; VERDICTS],
    /// The quiet states, one bit each. In a quiet state, the action changes nothing and causes neither a race nor a flow of
    /// values, whichever invocation performs it and whatever the clocks are.
    quiet: u32,
}

impl ActionVerdicts {
    /// Creates the verdicts and computes the quiet states.
    fn new(verdicts: [Verdict; VERDICTS]) -> Self {
        let mut quiet = 0;
        for (state, verdicts) in verdicts.chunks(VERDICTS >> STATE_BITS).enumerate() {
            let is_quiet = |verdict: &Verdict| verdict.keeps() && !verdict.remarkable();
            // Each state has 12 valid entries: three values of `Sync` with four relations each.
            quiet |= u32::from(verdicts[..12].iter().all(is_quiet)) << state;
        }
        Self { verdicts, quiet }
    }

    /// Combines a read and a directly following write by the same invocation.
    fn of_both(read: &Self, write: &Self) -> Self {
        let mut verdicts = [Verdict(0); VERDICTS];
        for (at, verdict) in verdicts.iter_mut().enumerate() {
            let first = read.at(at);
            // If the read kept the word, the write finds the previous accessor. Otherwise it finds the read.
            let found = if first.keeps() { at % (1 << 4) } else { 0 };
            let second = write.at(usize::from(first.state()) << 4 | found);
            let remarks = (first.0 | second.0) & (Verdict::FLOW | Verdict::RACE);
            let keeps = first.0 & second.0 & Verdict::KEEP;
            *verdict = Verdict(second.state() | remarks | keeps);
        }
        Self::new(verdicts)
    }

    /// Returns the verdict at an index computed by [`super::fields::Fields::place`].
    #[inline(always)]
    pub fn at(&self, place: usize) -> Verdict {
        self.verdicts[place % VERDICTS]
    }

    /// Returns whether the action is quiet on words with these states, one bit each.
    #[inline(always)]
    pub fn are_quiet(&self, states: u32) -> bool {
        states & !self.quiet == 0
    }
}

impl Verdicts {
    /// Creates the verdicts for a table like [`fsm_spec::TABLE`].
    pub fn new(table: &[u8; fsm_spec::TRANSITIONS]) -> Self {
        let mut all = [[Verdict(0); VERDICTS]; 4];
        for (at, next) in table.iter().enumerate() {
            if let Some((state, action, sync, relation)) = fsm_spec::table::transition(at)
                && let Some(next) = State::from_id(usize::from(*next))
            {
                let at = place(state.id(), sync.id(), relation.id());
                all[action.id()][at] = verdict(state, sync, relation, next);
            }
        }
        let by_action = all.map(ActionVerdicts::new);
        let [read, write] = [Action::R, Action::W].map(|action| &by_action[action.id()]);
        Self { update: ActionVerdicts::of_both(read, write), by_action }
    }

    /// Returns the verdicts of an action.
    #[inline(always)]
    pub fn of(&self, action: Action) -> &ActionVerdicts {
        &self.by_action[action.id() % 4]
    }

    /// Returns the verdicts of a combined read and write.
    #[inline(always)]
    pub fn of_update(&self) -> &ActionVerdicts {
        &self.update
    }
}

fn verdict(state: State, sync: Sync, relation: Relation, next: State) -> Verdict {
    let mut verdict = next as u8;
    if next == state && may_keep_accessor(state, sync, relation) {
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

/// Returns whether a word in `state` may keep its last accessor after another access that does not change the state. This is
/// correct if later accesses get the same verdicts with either accessor.
fn may_keep_accessor(state: State, sync: Sync, relation: Relation) -> bool {
    use fsm_spec::derive::{Spread, memory};
    match memory(state).map(|memory| memory.spread) {
        None => state == State::Race,
        Some(Spread::Invocation) => false,
        Some(Spread::Subgroup) => sync == Sync::U && matches!(relation, Relation::S | Relation::W),
        Some(Spread::Workgroup) => sync != Sync::B && relation != Relation::G,
        Some(Spread::Dispatch) => true,
    }
}
