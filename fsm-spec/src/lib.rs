//! The race automaton of hirace: what one word of shadow remembers of a word of memory.
//!
//! A GPU kernel's accesses to one word form a history that grows without bound. What must be
//! remembered of it to find every data race does not: who is unsynchronised in the current epoch
//! (one invocation, a subgroup, a workgroup, the dispatch), and of what kind the accesses were that
//! each of these has yet to be ordered with. That is one of 25 [`State`]s, and each access moves it
//! by the action, by the barriers passed since the last access, and by the relation of the two
//! invocations: 1200 transitions, [`TABLE`].
//!
//! The states and their names are those published for HiRace (Jacobson, Burtscher, Gopalakrishnan,
//! SC 2024). The table is not the published one, which raises false alarms and misses a race on
//! 15 of its entries: this one is derived here from happens-before ([`mod@derive`]) and shown by
//! exhaustive search to agree with it on traces of any length ([`proof`]).
//!
//! To check kernels, use `hirace` or the command in `hirace-cli`; this crate is for other race checkers.
//!
//! - [`state`]: states and the alphabet;
//! - [`mod@derive`]: from classes of accesses to transitions;
//! - [`table`]: the derived table, and its packing for shaders;
//! - [`proof`]: the search that shows it exact, on a [`grid`];
//! - [`export`]: the table as CSV, Graphviz or WGSL.
#![no_std]

extern crate alloc;

pub mod derive;
pub mod export;
pub mod grid;
mod history;
pub mod proof;
pub mod state;
pub mod table;

pub use state::{Action, Relation, State, Sync};
pub use table::{PACKED_WORDS, TABLE, TRANSITIONS, index, packed, step};

#[cfg(test)]
mod tests;
