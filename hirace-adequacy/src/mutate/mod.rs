//! Mutation: would the tests notice if the kernel were wrong?
//!
//! A mutant is a kernel with one small mistake, made at a token of its source. Tests that still pass do not look there.

pub mod report;
pub mod results;
