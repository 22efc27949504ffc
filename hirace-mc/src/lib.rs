//! Stateless model checking of small GPU programs: explores every execution that a memory model allows.
//!
//! A [`program`] is a set of invocations that request one visible operation at a time: a dispatch of a [`kernel`], or a
//! [`litmus`] test. A [`model`] decides which executions of a program are consistent, and what happens before what in
//! them. [`explore`] enumerates these executions and reports data races, invocations that wait forever, barrier
//! divergence and failed assertions. [`verify`] applies this to launches and files, [`repair`] searches for a change
//! that removes a finding, and [`report`] renders the results.
//!
//! This crate is the implementation of `hirace verify` in `hirace-cli`. Its API is not stable.

#![forbid(unsafe_code)]

mod execution_graph;
pub mod explore;
pub mod kernel;
pub mod litmus;
pub mod model;
pub mod program;
pub mod repair;
pub mod report;
pub mod verify;
