//! Litmus testing of GPU memory models.
//!
//! A [`mod@test`] is a few threads, each with a few operations on atomic memory, and a condition on what they leave. It runs in an
//! [`environment`]: in many instances at once, between others that stress the memory. On a device it leaves how often it
//! showed each outcome; [`results`] has these, and what a specification of the memory model says of an outcome is asked
//! afterwards, so that the same results are judged by any of its versions.
//!
//! The tests, the mutants and the scores are those of MC Mutants (Levine et al., ASPLOS 2023); campaigns over devices are
//! those of GPUHarbor (Levine et al., ISSTA 2023).
//!
//! Not meant to be used directly: `hirace-cli` is the command. It changes with every version.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod campaign;
pub mod environment;
pub mod locks;
pub mod remote;
pub mod report;
pub mod results;
pub mod run;
pub mod score;
mod shader;
pub mod simulated;
pub mod test;
