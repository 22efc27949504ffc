//! What of kernels runs: [`coverage`] as a whole, `gathered` from what was counted in programs, `merge`d of what ran here
//! and there; and how launches are run so that they are counted ([`run`]).

pub mod coverage;
mod gathered;
mod merge;
pub mod run;

#[cfg(test)]
mod tests;

pub use coverage::Coverage;
