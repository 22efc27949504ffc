//! Shadow words that an access leaves unchanged, so that it need not write them. This applies to most words that one invocation
//! accesses repeatedly, or that many invocations read.
//!
//! A word contains a state and the last accessor. The write of an access that would keep the state can be omitted if no later
//! transition depends on which of the two invocations accessed last. This is derived from the transition table: for each action
//! there are four sets of states, for accesses by
//!
//! - the last accessor: the states that its access does not change;
//! - its subgroup, without a barrier in between: the states that do not depend on which invocation of the subgroup was last;
//! - its workgroup, without a workgroup barrier in between: the states that do not depend on which invocation of the workgroup
//!   was last;
//! - any invocation at any time.

use crate::shadow::plan::Table;
use fsm_spec::derive::{Class, Spread, memory};
use fsm_spec::{Action, Relation, State, Sync, step};

/// The value that a computed state is xor-ed with, so that the initial state and the race state have the same numbers as in the
/// table.
pub const STATE_XOR: u32 = code(1, 3, 0);

/// Returns the code of a computed state before the xor.
const fn code(mixed: u32, spread: u32, kind: u32) -> u32 {
    mixed << 3 | spread << 1 | kind
}

/// The sets of invocations that may perform an access, by their relation to the last accessor, with the names that the runtime
/// uses for them.
pub const ACCESSOR_SETS: [(&str, AccessorSet); 4] = [
    ("invocation", AccessorSet { syncs: &[Sync::U], relations: &[Relation::S] }),
    ("subgroup", AccessorSet { syncs: &[Sync::U], relations: &[Relation::S, Relation::W] }),
    (
        "workgroup",
        AccessorSet {
            syncs: &[Sync::U, Sync::W],
            relations: &[Relation::S, Relation::W, Relation::B],
        },
    ),
    ("dispatch", AccessorSet { syncs: Sync::ALL, relations: Relation::ALL }),
];

/// A set of invocations, by their relation to the last accessor.
#[derive(Clone, Copy, Debug)]
pub struct AccessorSet {
    /// The barriers that may be in between.
    syncs: &'static [Sync],
    /// The possible relations.
    relations: &'static [Relation],
}

impl AccessorSet {
    /// Returns the states that an access of this kind by any of these invocations leaves unchanged, as a bit set of the numbers
    /// that they have with this table.
    pub fn unchanged_states(self, action: Action, table: Table) -> u32 {
        let unchanged = State::ALL.iter().filter(|&&state| self.is_unchanged(state, action));
        unchanged.fold(0, |bits, &state| bits | 1 << number(state, table))
    }

    fn is_unchanged(self, state: State, action: Action) -> bool {
        let stays = |sync, relation| step(state, action, sync, relation) == state;
        let mut pairs = self.pairs();
        pairs.all(|(sync, relation)| stays(sync, relation)) && self.ignores_last_accessor(state)
    }

    /// Returns whether no later transition depends on which of these invocations was the last accessor. The clocks determine the
    /// barriers between the later access and the last one: all barriers of this set must be equivalent, and any other barrier
    /// must be equivalent for all relations.
    fn ignores_last_accessor(self, state: State) -> bool {
        let is_same = |action, syncs: &[Sync]| {
            let next = |sync, relation| step(state, action, sync, relation);
            let first = next(syncs[0], self.relations[0]);
            let mut all =
                syncs.iter().flat_map(|&sync| self.relations.iter().map(move |&r| (sync, r)));
            all.all(|(sync, relation)| next(sync, relation) == first)
        };
        let others = Sync::ALL.iter().filter(|sync| !self.syncs.contains(sync));
        Action::ALL.iter().all(|&action| {
            is_same(action, self.syncs) && others.clone().all(|&sync| is_same(action, &[sync]))
        })
    }

    fn pairs(self) -> impl Iterator<Item = (Sync, Relation)> {
        self.syncs.iter().flat_map(move |&sync| self.relations.iter().map(move |&r| (sync, r)))
    }
}

/// Returns the number of a state in instrumented modules, which is below 32.
pub fn number(state: State, table: Table) -> u32 {
    let Some(memory) = memory(state).filter(|_| table == Table::Computed) else {
        return state.id() as u32;
    };
    let spread = match memory.spread {
        Spread::Invocation => 0,
        Spread::Subgroup => 1,
        Spread::Workgroup => 2,
        Spread::Dispatch => 3,
    };
    let kind = memory.subgroup;
    let others = [memory.subgroup, memory.workgroup, memory.dispatch];
    let is_other = |class: &&Class| **class != kind || kind == Class::Mixed;
    let mixed = others.iter().filter(is_other).count() as u32;
    STATE_XOR ^ code(mixed, spread, u32::from(kind == Class::Atomics))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the states that an access by these accessors leaves unchanged.
    fn unchanged(accessors: usize, action: Action) -> Vec<&'static str> {
        let bits = ACCESSOR_SETS[accessors].1.unchanged_states(action, Table::Buffer);
        let states = State::ALL.iter().filter(|state| bits >> state.id() & 1 != 0);
        states.map(|state| state.name()).collect()
    }

    #[test]
    fn the_sets_are_those_that_the_memory_of_the_states_suggests() {
        // A repeated access by the same invocation, with an action that adds nothing.
        assert_eq!(unchanged(0, Action::W), ["WRITE", "RACE"]);
        let reads: Vec<_> = unchanged(0, Action::R);
        for state in ["READ", "WRITE", "WREAD", "BREAD", "GREAD", "WSYNC", "BSYNC", "BWSYNC"] {
            assert!(reads.contains(&state), "{state}");
        }
        assert!(!reads.contains(&"INIT") && !reads.contains(&"GATOM"));
        // If several invocations of a subgroup are known to read, it does not matter which of them reads next.
        assert!(
            unchanged(1, Action::R).contains(&"WREAD")
                && !unchanged(1, Action::R).contains(&"READ")
        );
        assert!(
            unchanged(2, Action::R).contains(&"BREAD")
                && !unchanged(2, Action::R).contains(&"WREAD")
        );
        assert_eq!(unchanged(3, Action::R), ["GREAD", "RACE"]);
        assert_eq!(unchanged(3, Action::GA), ["GATOM_G", "RACE"]);
        assert_eq!(unchanged(3, Action::BA), ["RACE"]);
        assert_eq!(unchanged(3, Action::W), ["RACE"]);
    }

    #[test]
    fn numbers_are_those_of_the_automaton_where_it_is_computed() {
        assert_eq!(number(State::Init, Table::Computed), State::Init.id() as u32);
        assert_eq!(number(State::Race, Table::Computed), State::Race.id() as u32);
        assert_eq!(number(State::GRead, Table::Computed), STATE_XOR ^ code(0, 3, 0));
        assert_eq!(number(State::GAtomG, Table::Computed), STATE_XOR ^ code(0, 3, 1));
        assert_eq!(number(State::Write, Table::Computed), STATE_XOR ^ code(3, 0, 0));
        assert_eq!(number(State::WSyncAtomM, Table::Computed), STATE_XOR ^ code(2, 1, 1));
        let same = |a: State, b: State| number(a, Table::Computed) == number(b, Table::Computed);
        // States of equal behavior have the same number.
        assert!(same(State::BSync, State::BwSync) && same(State::BAtom, State::BSyncAtom));
        assert!(!same(State::Read, State::BSync));
    }
}
