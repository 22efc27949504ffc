//! Mutation testing: would the tests fail if the kernel were wrong?
//!
//! A mutant is a kernel with one small change to its source. Tests that still pass do not check what was changed.
//! [`syntax`] finds the parts of a source that can be mutated, and [`operators`] create the mutations.
//!
//! [`source`] has the mutants that compile, [`plan`] finds the tests that reach them, and [`judge`] decides the outcome
//! of each one, by running [`processes`] or [`launches`]. Findings that a test has without a mutant are [`known`]. A [`campaign`] judges many in parallel and keeps the outcomes
//! in a [`folder`]. On a device, [`schemata`] put many mutants into one program. [`results`] has the types of results,
//! and [`report`] the output formats.

pub mod campaign;
pub mod directives;
pub mod folder;
pub mod judge;
pub mod known;
pub mod launch_test;
pub mod launches;
pub mod merge;
pub mod operators;
pub mod plan;
pub mod processes;
pub mod reach;
pub mod report;
pub mod results;
pub mod schema;
pub mod schemata;
pub mod select;
pub mod source;
pub mod syntax;

#[cfg(test)]
mod tests;
