//! The race automaton of hirace: the information that one shadow word keeps about one word of memory.
//!
//! A GPU kernel's accesses to one word form a history that grows without bound. The part of it that is needed
//! to find every data race is bounded: how far the unsynchronized accesses of the current epoch have spread
//! (one invocation, a subgroup, a workgroup, the dispatch), and the kind of the accesses that each of these
//! has yet to be ordered with. That is one of 25 [`State`]s. Each access changes the state depending on its
//! action, the barriers passed since the last access, and the relation of the two invocations: 1200
//! transitions, [`TABLE`].
//!
//! The states and their names are those published for HiRace (Jacobson, Burtscher, Gopalakrishnan, SC 2024).
//! The table differs from the published one, which has false positives and misses a race on 15 of its
//! entries. It is derived here from happens-before ([`mod@derive`]), and an exhaustive search shows that the
//! two agree on traces of any length ([`proof`]).
//!
//! To check kernels, use `hirace` or the command in `hirace-cli`; this crate is for other race checkers.
//!
//! - [`state`]: the states and the alphabet;
//! - [`mod@derive`]: from classes of accesses to transitions;
//! - [`table`]: the derived table, and its packing for shaders;
//! - [`proof`]: the search that shows that the table is exact, on a [`grid`];
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
pub use table::{PACKED_WORDS, TABLE, TRANSITIONS, index, pack_table, step};

#[cfg(test)]
mod tests;
