//! Derives suggestions: ways to fix findings, as specific as the analysis can justify.
//!
//! A barrier is only suggested where the uniformity analysis proves that all invocations of the workgroup reach it.
//! Otherwise, the suggestion is to restructure the code.

mod atomics;
mod barrier;
pub mod counter;
mod engine;
mod race;
#[cfg(test)]
mod tests;

pub(crate) use atomics::strip_dereference;
pub(super) use engine::{bounds, divergence, progress};
pub(super) use race::race;
