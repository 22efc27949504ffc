//! Observers of the engine: what they see decides what is a race.
//!
//! [`fsm`] is the fast one (one shadow word a granule, exact), [`oracle`] the exact full-history one
//! it is judged by, [`tracer`] writes the log ([`trace`]) from which phase 2 names the pairs. The last
//! two share [`history`], which knows happens-before by its definition. [`counting`] sees no memory: it counts what runs.

mod clocks;
pub mod counting;
mod event;
mod events;
pub mod fsm;
mod granule;
pub mod history;
mod layout;
pub mod oracle;
pub mod trace;
pub mod tracer;
pub mod whole;
pub mod width;

#[cfg(test)]
mod tests;

pub use crate::ir::memory::Shape;
pub use granule::{Granule, Racy};
pub use layout::{Fitted, Layout, MemoryLayout};
