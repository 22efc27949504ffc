//! Derives suggestions: ways to fix findings, as specific as the analysis can justify.
//!
//! A barrier is only suggested where the uniformity analysis proves that all invocations of the workgroup reach it. A suggestion
//! comes with the change of the program that it describes (a `Change`), if it can be applied automatically, and is then
//! tried before it is shown ([`trial`](super::trial)).

mod atomics;
mod barrier;
pub(crate) mod candidate;
pub mod counter;
mod dimension;
pub mod edits;
mod engine;
mod race;
#[cfg(test)]
mod tests;

pub(crate) use atomics::strip_dereference;
pub(super) use engine::{bounds, divergence, progress};
pub(super) use race::{may_lose_updates, race};
