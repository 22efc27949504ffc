//! What of kernels runs: [`coverage`] as a whole, `gathered` from what was counted in programs, `merge`d of what ran here
//! and there; how a launch is run so that it is counted
//! ([`run`]), [`collect`]ed for all launches of a session, and [`record`]ed where others run those.

pub mod collect;
pub mod coverage;
mod gathered;
pub mod located;
mod merge;
pub mod record;
pub mod run;

#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;

pub use coverage::Coverage;
pub use gathered::hash;
