//! Coverage in parts: the [`part`] of a suite that a shard runs, and how what several runs counted is put together
//! ([`merge`]).

pub mod merge;
pub mod part;
