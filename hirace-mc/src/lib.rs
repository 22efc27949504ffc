//! Every execution of a small GPU program, under a memory model.
//!
//! A [`program`] is invocations that ask, one visible operation at a time: a dispatch of a [`kernel`], a [`litmus`] test.
//! A [`model`] says which of its executions there are, and what in them is ordered. [`explore`] goes through all of them,
//! and finds what races, waits for ever, parts at a barrier or breaks a claim. [`verify`] does that with launches and
//! files, and [`report`] says what came of it.
//!
//! Not meant to be used directly: `hirace-cli` is the command. It changes with every version.

#![forbid(unsafe_code)]

pub mod explore;
pub mod kernel;
pub mod litmus;
pub mod model;
pub mod program;
pub mod repair;
pub mod report;
pub mod verify;
