//! Every execution of a small GPU program, under a memory model.
//!
//! A [`program`] is invocations that ask, one visible operation at a time. [`litmus`] tests and
//! dispatches of a [`kernel`] are such programs.
//!
//! Not meant to be used directly: `hirace-cli` is the command. It changes with every version.

#![forbid(unsafe_code)]

pub mod kernel;
pub mod litmus;
pub mod program;
