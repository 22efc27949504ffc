//! The embedded executor's engine: naga IR, lowered to flat code, run over the lanes of subgroups.
//!
//! It knows naga's IR and sites, not what is done with them: who wants to know what memory the run
//! touches hands it an [`Observer`].

mod alu;
mod atomic;
mod code;
mod driver;
mod engine;
pub mod lower;
pub mod memory;
pub mod observer;
pub mod ops;
pub mod run;
pub mod schedule;
#[cfg(test)]
mod tests;
mod workgroup;

pub use code::Code;
