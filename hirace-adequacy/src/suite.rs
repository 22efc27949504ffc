//! Test suites that launch kernels.
//!
//! Tests from hirace.toml are [`configured`]. [`commands`] run suites of users, by `cargo test` or anything that makes
//! cargo run tests. Each test runs in its own process, so that its coverage is known; cargo runs the [`runner`] in
//! place of a test binary.

pub mod call;
pub mod commands;
pub mod configured;
pub mod group;
pub mod runner;
pub mod sources;
