//! Granules: the units of memory that races are found in.

use crate::ir::sites::SiteId;
use crate::vm::observer::MemoryId;
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
