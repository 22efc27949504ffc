//! Shadow words that an access leaves as they are, so that it need not write them: most of those that one invocation
//! touches over and over, or that many read.
//!
//! A word says in which state it is and who came last. An access whose state is the one that the word is in may be left
//! out if nothing that follows hangs on who of the two came last. That is read off the table here: for each action there
//! are four sets of states, for accesses of
//!
//! - the invocation that came last: those in which its access changes nothing;
//! - its subgroup, with no barrier between: those which have forgotten which invocation of the subgroup came last;
//! - its workgroup, with no barrier of the workgroup between: those which have forgotten which of the workgroup did;
//! - anybody at any time.

use crate::shadow::plan::Table;
use fsm_spec::derive::{Class, Spread, memory};
use fsm_spec::{Action, Relation, State, Sync, step};

/// What a computed state is xor-ed with, so that the first state and that of a race have the same numbers as in the table.
pub const CODE: u32 = code(1, 3, 0);

/// A computed state, before that.
const fn code(mixed: u32, who: u32, kind: u32) -> u32 {
    mixed << 3 | who << 1 | kind
}

/// By whom an access is, beside the last one; and the name that the runtime has for the states that this is asked of.
pub const REACHES: [(&str, Reach); 4] = [
    ("invocation", Reach { syncs: &[Sync::U], relations: &[Relation::S] }),
    ("subgroup", Reach { syncs: &[Sync::U], relations: &[Relation::S, Relation::W] }),
    (
        "workgroup",
        Reach { syncs: &[Sync::U, Sync::W], relations: &[Relation::S, Relation::W, Relation::B] },
    ),
    ("dispatch", Reach { syncs: Sync::ALL, relations: Relation::ALL }),
];

/// A set of invocations, by what the last one is to them.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The barriers that may be between.
    syncs: &'static [Sync],
    /// Who they may be.
    relations: &'static [Relation],
}

impl Reach {
    /// The states that an access like this of any of them leaves as they are, as bits, by the numbers they have where the
    /// table stands.
    pub fn kept(self, action: Action, table: Table) -> u32 {
        let kept = State::ALL.iter().filter(|&&state| self.keeps(state, action));
        kept.fold(0, |bits, &state| bits | 1 << number(state, table))
    }

    fn keeps(self, state: State, action: Action) -> bool {
        let stays = |sync, relation| step(state, action, sync, relation) == state;
        let mut stay = self.pairs();
        stay.all(|(sync, relation)| stays(sync, relation)) && self.forgets(state)
    }

    /// Whether it makes no difference to any next access which of them came last. What the barriers are between that and
    /// the last one, the clocks say: those that are within this reach are as good as each other, any other one is the same
    /// for all.
    fn forgets(self, state: State) -> bool {
        let alike = |action, syncs: &[Sync]| {
            let next = |sync, relation| step(state, action, sync, relation);
            let first = next(syncs[0], self.relations[0]);
            let mut all =
                syncs.iter().flat_map(|&sync| self.relations.iter().map(move |&r| (sync, r)));
            all.all(|(sync, relation)| next(sync, relation) == first)
        };
        let others = Sync::ALL.iter().filter(|sync| !self.syncs.contains(sync));
        Action::ALL.iter().all(|&action| {
            alike(action, self.syncs) && others.clone().all(|&sync| alike(action, &[sync]))
        })
    }

    fn pairs(self) -> impl Iterator<Item = (Sync, Relation)> {
        self.syncs.iter().flat_map(move |&sync| self.relations.iter().map(move |&r| (sync, r)))
    }
}

/// The number of a state in instrumented modules: below 32.
pub fn number(state: State, table: Table) -> u32 {
    let Some(memory) = memory(state).filter(|_| table == Table::Computed) else {
        return state.id() as u32;
    };
    let who = match memory.spread {
        Spread::Invocation => 0,
        Spread::Subgroup => 1,
        Spread::Workgroup => 2,
        Spread::Dispatch => 3,
    };
    let kind = memory.subgroup;
    let others = [memory.subgroup, memory.workgroup, memory.dispatch];
    let is_other = |class: &&Class| **class != kind || kind == Class::Mixed;
    let mixed = others.iter().filter(is_other).count() as u32;
    CODE ^ code(mixed, who, u32::from(kind == Class::Atomics))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(reach: usize, action: Action) -> Vec<&'static str> {
        let bits = REACHES[reach].1.kept(action, Table::Buffer);
        let states = State::ALL.iter().filter(|state| bits >> state.id() & 1 != 0);
        states.map(|state| state.name()).collect()
    }

    #[test]
    fn the_sets_are_those_that_the_memory_of_the_states_suggests() {
        // One invocation that comes once more, with what was there already or with less.
        assert_eq!(kept(0, Action::W), ["WRITE", "RACE"]);
        let reads: Vec<_> = kept(0, Action::R);
        for state in ["READ", "WRITE", "WREAD", "BREAD", "GREAD", "WSYNC", "BSYNC", "BWSYNC"] {
            assert!(reads.contains(&state), "{state}");
        }
        assert!(!reads.contains(&"INIT") && !reads.contains(&"GATOM"));
        // Where several of a subgroup are known to read, it does not matter who is the next of them.
        assert!(kept(1, Action::R).contains(&"WREAD") && !kept(1, Action::R).contains(&"READ"));
        assert!(kept(2, Action::R).contains(&"BREAD") && !kept(2, Action::R).contains(&"WREAD"));
        assert_eq!(kept(3, Action::R), ["GREAD", "RACE"]);
        assert_eq!(kept(3, Action::GA), ["GATOM_G", "RACE"]);
        assert_eq!(kept(3, Action::BA), ["RACE"]);
        assert_eq!(kept(3, Action::W), ["RACE"]);
    }

    #[test]
    fn numbers_are_those_of_the_automaton_where_it_is_computed() {
        assert_eq!(number(State::Init, Table::Computed), State::Init.id() as u32);
        assert_eq!(number(State::Race, Table::Computed), State::Race.id() as u32);
        assert_eq!(number(State::GRead, Table::Computed), CODE ^ code(0, 3, 0));
        assert_eq!(number(State::GAtomG, Table::Computed), CODE ^ code(0, 3, 1));
        assert_eq!(number(State::Write, Table::Computed), CODE ^ code(3, 0, 0));
        assert_eq!(number(State::WSyncAtomM, Table::Computed), CODE ^ code(2, 1, 1));
        let same = |a: State, b: State| number(a, Table::Computed) == number(b, Table::Computed);
        // Twins are one.
        assert!(same(State::BSync, State::BwSync) && same(State::BAtom, State::BSyncAtom));
        assert!(!same(State::Read, State::BSync));
    }
}
