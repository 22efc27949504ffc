//! Observers of the engine: what they see decides what is a race.
//!
//! [`fsm`] is the fast one (one shadow word a granule, exact), [`oracle`] the exact full-history one
//! it is judged by, [`tracer`] writes the log ([`trace`]) from which phase 2 names the pairs. The last
//! two share [`history`], which knows happens-before by its definition.

mod clocks;
mod events;
pub mod fsm;
pub mod history;
pub mod oracle;
pub mod trace;
pub mod tracer;

#[cfg(test)]
mod tests;

use crate::ir::access::Extent;
pub use crate::ir::memory::Shape;
use crate::ir::sites::SiteId;
use crate::vm::observer::{MemoryId, Space};
use std::collections::BTreeMap;
use std::ops::Range;

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
    pub space: Space,
    /// log2 of a granule's bytes.
    pub granule_shift: u32,
    /// Length in bytes.
    pub bytes: u32,
}

impl Layout {
    /// The layout of a memory, if that is watched.
    pub fn memory(&self, memory: MemoryId) -> Option<MemoryLayout> {
        *self.memories.get(memory.0 as usize)?
    }

    /// The granules of the memory that a workgroup has to itself.
    pub fn granules_of(&self, workgroup: u32) -> impl Iterator<Item = Granule> {
        let memories = (0..).map(MemoryId).zip(&self.memories);
        let own = memories.filter_map(|(id, memory)| Some((id, (*memory)?)));
        own.filter(|(_, memory)| memory.space == Space::Workgroup).flat_map(move |(id, memory)| {
            let granules = 0..memory.bytes.div_ceil(1 << memory.granule_shift);
            granules.map(move |index| Granule { memory: id, workgroup, index })
        })
    }
}

impl MemoryLayout {
    /// How many granules there are.
    pub fn granules(&self) -> u32 {
        (u64::from(self.bytes).div_ceil(1 << self.granule_shift)) as u32
    }

    /// The granules that an access touches, those past the end left out.
    pub fn touched(&self, offset: u32, extent: Extent) -> Range<u32> {
        let first = u64::from(offset) + u64::from(extent.offset);
        let end = (first + u64::from(extent.bytes)).min(u64::from(self.bytes));
        if first >= end {
            return 0..0;
        }
        (first >> self.granule_shift) as u32..((end - 1) >> self.granule_shift) as u32 + 1
    }
}
