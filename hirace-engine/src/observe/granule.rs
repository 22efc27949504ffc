//! Granules: the units of memory in which races are found.

use crate::ir::sites::SiteId;
use crate::vm::observer::MemoryId;
use std::collections::BTreeMap;

/// A granule of memory: the unit that one shadow word tracks. It has four bytes, or as many as the smallest
/// scalar of the variable ([`crate::ir::layout::granule_shift`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Granule {
    /// The memory.
    pub memory: MemoryId,
    /// The workgroup that the instance belongs to, for workgroup memory; 0 otherwise.
    pub workgroup: u32,
    /// Index of the granule: the byte offset divided by the granule's size.
    pub index: u32,
}

/// The granules that raced in a dispatch, each with the site of the later access at which the race was found.
/// This site depends on the schedule; the set of granules does not.
pub type RacyGranules = BTreeMap<Granule, SiteId>;
