//! Sharded coverage: the [`part`] of a suite that a shard runs, and the [`merge`] of several runs.

pub mod merge;
pub mod part;
