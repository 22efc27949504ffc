//! What of kernels runs: [`coverage`] as a whole, `gathered` from what was counted in programs, `merge`d of what ran here
//! and there; how a launch is run so that it is counted
//! ([`run`]), and [`collect`]ed for all launches of a session.

pub mod collect;
pub mod coverage;
mod gathered;
mod merge;
pub mod run;

#[cfg(test)]
mod tests;

pub use coverage::Coverage;
pub use gathered::hash;
