//! How good the tests of kernels are, all in all, and what to do next.

pub mod advise;
mod bench;
pub mod condition;
pub mod left;
pub mod point;
pub mod proposal;
pub mod propose;
pub mod report;
pub mod results;
#[cfg(test)]
mod schema;
pub mod search;
