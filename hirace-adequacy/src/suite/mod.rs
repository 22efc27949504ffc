//! Suites: tests that launch kernels.
//!
//! Tests that hirace.toml names are [`configured`]. [`commands`] are suites of whoever writes tests: `cargo test`, or
//! whatever ends up with cargo running tests. Each test runs by itself in a process of its own, so that what it reaches
//! is known; [`runner`] is what cargo runs in the stead of a test binary.

pub mod call;
pub mod commands;
pub mod configured;
pub mod group;
pub mod runner;
pub mod sources;
