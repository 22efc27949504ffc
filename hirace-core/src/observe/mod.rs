//! Observers of the engine: what they see decides what is a race.
//!
//! [`fsm`] is the fast one (one shadow word a granule, exact), [`oracle`] the exact full-history one
//! it is judged by, [`tracer`] writes the log ([`trace`]) from which phase 2 names the pairs. The last
//! two share [`history`], which knows happens-before by its definition.

mod clocks;
mod event;
mod events;
pub mod fsm;
pub mod history;
mod layout;
pub mod oracle;
pub mod trace;
pub mod tracer;

#[cfg(test)]
mod tests;

pub use crate::ir::memory::Shape;
use crate::ir::sites::SiteId;
use crate::vm::observer::MemoryId;
pub use layout::{Fitted, Layout, MemoryLayout};
use std::collections::BTreeMap;

/// A granule of memory: the unit that one shadow word follows. Four bytes, or as many as the
/// smallest scalar of the variable has ([`crate::ir::layout::granule_shift`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Granule {
    /// The memory.
    pub memory: MemoryId,
    /// Which workgroup's instance, for workgroup memory; 0 otherwise.
    pub workgroup: u32,
    /// Index of the granule: byte offset divided by the granule's size.
    pub index: u32,
}

/// The granules that raced in a dispatch, each with the site at which that was seen (of the later
/// access; which one that is depends on the schedule, the set of granules does not).
pub type Racy = BTreeMap<Granule, SiteId>;
