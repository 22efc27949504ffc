//! Audits: the overall quality of the tests of kernels, and advice on how to improve them.
//!
//! `advise` derives advice from the facts. `search` finds launches that reach code no test reaches, `propose` selects
//! those that improve the suite, judged as by [`crate::mutate`], and `proposal` writes them as tests. `report` has the
//! output formats.

pub mod advise;
pub mod condition;
mod launch_runner;
pub mod outputs;
pub mod point;
pub mod proposal;
pub mod propose;
pub mod report;
pub mod results;
#[cfg(test)]
mod schema;
pub mod search;
