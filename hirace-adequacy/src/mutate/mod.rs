//! Mutation: would the tests notice if the kernel were wrong?
//!
//! A mutant is a kernel with one small mistake, made at a token of its source. Tests that still pass do not look there.
//! [`syntax`] finds what of a source can be mistaken, [`operators`] make the mistakes.

pub mod campaign;
pub mod directives;
pub mod folder;
pub mod judge;
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
