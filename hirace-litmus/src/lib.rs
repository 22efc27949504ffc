//! Litmus testing of GPU memory models.
//!
//! A [`mod@test`] is a few threads, each with a few operations on atomic memory, and a condition on the values that
//! they leave. It runs in an [`environment`]: many instances run at once, next to invocations that stress the memory. A
//! run on a device counts how often each outcome occurred. [`results`] holds these counts. Outcomes are classified
//! afterwards by a specification of the memory model, so the same results can be classified by any version of it.
//!
//! A [`campaign`] runs many tests in many environments on one target: a device, or a [`simulated`] one whose faults are
//! known. A [`job`] is one run for a program that knows no tests. [`score`] and [`analysis`] evaluate results. [`locks`] tests common
//! locks, [`prefix_sum`] an application that passes messages, and [`race_bounds`] the effects of data races. [`remote`] defines the messages between a service and its workers.
//!
//! The tests, the mutants and the scores are those of MC Mutants (Levine et al., ASPLOS 2023); campaigns over devices are
//! those of GPUHarbor (Levine et al., ISSTA 2023).
//!
//! This crate is internal: use the command of `hirace-cli`. The API changes with every version.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod campaign;
pub mod environment;
pub mod job;
pub mod locks;
pub mod prefix_sum;
pub mod race_bounds;
pub mod remote;
pub mod report;
pub mod results;
pub mod run;
pub mod score;
mod shader;
pub mod simulated;
pub mod test;
