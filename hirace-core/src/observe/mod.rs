//! Observers of the engine: what they see decides what is a race.
//!
//! `fsm` is the fast one (one shadow word a granule, exact), `oracle` the exact full-history one
//! it is judged by, [`trace`] the log from which phase 2 names the pairs.

pub mod trace;

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

/// The size of granules and of memories: what observers need to know before a dispatch.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// For each global variable by index: log2 of the granule's bytes (2, 1 where 16-bit scalars
    /// live, 0 where `bool` does), and the byte length of its memory in this dispatch (texels count as 4 bytes). `None`
    /// for what is not watched.
    pub memories: Vec<Option<MemoryLayout>>,
}

/// See [`Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// The kind of memory.
    pub space: crate::vm::observer::Space,
    /// log2 of a granule's bytes.
    pub granule_shift: u32,
    /// Length in bytes.
    pub bytes: u32,
}

/// Shape of the dispatch, as far as happens-before needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many workgroups.
    pub workgroups: u32,
    /// Invocations a workgroup.
    pub workgroup_size: u32,
    /// Lanes a subgroup.
    pub subgroup_size: u32,
}
