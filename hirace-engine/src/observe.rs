//! Observers of the engine, which detect races.
//!
//! [`fsm`] is the fast monitor (one shadow word per granule, exact). [`oracle`] is the exact full-history
//! observer that it is tested against. [`tracer`] writes the log ([`trace`]) from which phase 2 finds the
//! racing pairs. The last two share [`history`], which implements happens-before by its definition.
//! [`counting`] does not watch memory: it counts executions.
//!
//! **Architecture invariant:** three implementations agree on every kernel: [`fsm`], the module that the
//! monitor pass instruments, and [`oracle`], which shares no code with the automaton. `tests/it/random`
//! compares them on random kernels, and `tests/it/device` compares the instrumented module on a device.
//! Executors are compared by their sets of racy words, which do not depend on the schedule unless control
//! flow does.

mod clocks;
pub mod counting;
mod event;
mod events;
pub mod fsm;
pub mod full_tracer;
mod granule;
pub mod history;
mod layout;
pub mod oracle;
pub mod trace;
pub mod tracer;
pub mod width;

#[cfg(test)]
mod tests;

pub use crate::ir::memory::Shape;
pub use granule::{Granule, RacyGranules};
pub use layout::{FittedLayout, Layout, MemoryLayout};
