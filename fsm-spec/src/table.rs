//! The transition table, derived at compile time.

use crate::derive;
use crate::state::{Action, Relation, State, Sync};

/// Number of transitions of the automaton.
pub const TRANSITIONS: usize = State::COUNT * SYMBOLS;

/// Number of symbols of its alphabet.
const SYMBOLS: usize = Action::COUNT * Sync::COUNT * Relation::COUNT;

/// Number of words of [`pack_table`].
pub const PACKED_WORDS: usize = TRANSITIONS / Relation::COUNT;

/// The id of the next state, by [`index`].
pub const TABLE: [u8; TRANSITIONS] = derived();

/// Returns the index of a transition in [`TABLE`]: state · 48 + action · 12 + sync · 4 + relation.
pub const fn index(state: State, action: Action, sync: Sync, relation: Relation) -> usize {
    ((state.id() * Action::COUNT + action.id()) * Sync::COUNT + sync.id()) * Relation::COUNT
        + relation.id()
}

/// Returns the transition at an index: the inverse of [`index`].
pub const fn transition(index: usize) -> Option<(State, Action, Sync, Relation)> {
    let relation = Relation::ALL[index % Relation::COUNT];
    let sync = Sync::ALL[index / Relation::COUNT % Sync::COUNT];
    let action = Action::ALL[index / (Relation::COUNT * Sync::COUNT) % Action::COUNT];
    match State::from_id(index / SYMBOLS) {
        Some(state) => Some((state, action, sync, relation)),
        None => None,
    }
}

/// Returns the state after one more access.
pub const fn step(state: State, action: Action, sync: Sync, relation: Relation) -> State {
    State::ALL[TABLE[index(state, action, sync, relation)] as usize]
}

/// Returns the table for shaders, which have no byte type: one word for each state, action and sync (in the order
/// of [`index`]), with one byte for each relation. The lowest byte is for [`Relation::S`].
pub const fn pack_table() -> [u32; PACKED_WORDS] {
    let mut words = [0; PACKED_WORDS];
    let mut at = 0;
    while at < TRANSITIONS {
        words[at / Relation::COUNT] |= (TABLE[at] as u32) << (8 * (at % Relation::COUNT));
        at += 1;
    }
    words
}

const fn derived() -> [u8; TRANSITIONS] {
    let mut table = [0; TRANSITIONS];
    let mut at = 0;
    while let Some((state, action, sync, relation)) = transition(at) {
        table[at] = derive::next(state, action, sync, relation) as u8;
        at += 1;
    }
    table
}
