//! How findings could be fixed, as specific as can be said without being wrong.
//!
//! A barrier is only proposed where the uniformity analysis says that all invocations of the workgroup
//! pass; where it cannot say so, the proposal is to restructure.

mod atomics;
mod barrier;
pub mod counter;
mod engine;
mod race;
#[cfg(test)]
mod tests;

pub(crate) use atomics::bare;
pub(super) use engine::{bounds, divergence, progress};
pub(super) use race::race;
