//! What observers watch in a dispatch: memories with the sizes of their granules, and the sites at which
//! accesses are watched.

use super::Shape;
use super::granule::Granule;
use super::width::{Barriers, OrderedClasses, Width};
use crate::ir::access::Extent;
use crate::ir::sites::SiteId;
use crate::vm::observer::{Accesses, MemoryId, Pairing, Space};
use crate::watch::{self, NoShadow, NotWatched, UnwatchedVariable, WatchPlan};
use std::ops::Range;

/// What observers need to know before a dispatch.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For each global variable by index: its granules, and the length of its memory in this dispatch. `None`
    /// if it is not watched.
    pub memories: Vec<Option<MemoryLayout>>,
    /// For each site, up to the last skipped one: whether it is skipped although its memory is watched.
    skipped: Vec<bool>,
    ordered: OrderedClasses,
}

/// A watched memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// The address space.
    pub space: Space,
    /// log2 of a granule's size in bytes: 2 by default, 1 if the memory has 16-bit scalars, 0 if it has
    /// `bool`.
    pub granule_shift: u32,
    /// Length in bytes (a texel counts as 4).
    pub bytes: u32,
}

/// A layout that fits into the available shadow memory, and the memories that are not watched.
#[derive(Clone, Debug, Default)]
pub struct FittedLayout {
    /// The watched memories.
    pub layout: Layout,
    /// The memories in which races may be missed, in the order of the module.
    pub unwatched: Vec<UnwatchedVariable>,
}

impl Default for Layout {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl Layout {
    /// Creates a layout of these memories, by global variable, in which all accesses are watched. Any
    /// barriers may occur.
    pub fn of(memories: Vec<Option<MemoryLayout>>) -> Self {
        Self { memories, skipped: Vec::new(), ordered: OrderedClasses::ALL }
    }

    /// Returns this layout for a kernel whose barriers order only these spaces.
    #[must_use]
    pub fn with_ordered(self, ordered: OrderedClasses) -> Self {
        Self { ordered, ..self }
    }

    /// Creates the layout of what `plan` watches. Memories are added in order as long as their shadow takes
    /// at most `room` bytes in a dispatch of this shape. `length` returns the length of a memory in bytes; a
    /// memory without a length is skipped.
    pub fn fitted(
        plan: &WatchPlan,
        shape: Shape,
        length: impl Fn(&watch::SharedVariable) -> Option<u32>,
        mut room: u64,
    ) -> FittedLayout {
        let (in_workgroup, in_subgroup) = plan.ordered();
        let layout = Self::default().with_ordered(OrderedClasses { in_workgroup, in_subgroup });
        let mut fitted = FittedLayout { layout, unwatched: Vec::new() };
        for memory in plan.memories() {
            let Some(bytes) = length(memory) else { continue };
            let Ok(granules) = memory.watched else {
                fitted.unwatched.extend(memory.unwatched());
                continue;
            };
            let granule_shift = granules.shift;
            let layout = MemoryLayout { space: granules.space, granule_shift, bytes };
            let shadow = layout.full_granules() * fitted.layout.width(shape, layout.space).bytes();
            if shadow > room {
                let mib_more = (shadow - room).div_ceil(1 << 20);
                let reason = NotWatched::NoShadow(NoShadow::OverLimit { mib_more });
                fitted.unwatched.push(UnwatchedVariable::new(memory.name.clone(), reason));
                continue;
            }
            room -= shadow;
            let index = memory.global.index();
            if fitted.layout.memories.len() <= index {
                fitted.layout.memories.resize(index + 1, None);
            }
            fitted.layout.memories[index] = Some(layout);
        }
        fitted.layout.skip(plan);
        fitted
    }

    /// Records the sites that `plan` does not watch.
    fn skip(&mut self, plan: &WatchPlan) {
        for (site, watched) in plan.sites() {
            let index = site.0 as usize;
            if watched.is_err() {
                self.skipped.resize(self.skipped.len().max(index + 1), false);
                self.skipped[index] = true;
            }
        }
    }

    /// Returns the barriers that order this space.
    pub fn barriers(&self, space: Space) -> Barriers {
        self.ordered.barriers(space)
    }

    /// Returns the width of the native monitor's shadow words for this space, in a dispatch of this shape.
    pub fn width(&self, shape: Shape, space: Space) -> Width {
        match space {
            // These words do not contain the workgroup.
            Space::Workgroup => Width::Narrow,
            Space::Storage | Space::Texture => Width::of(shape, self.barriers(space)),
        }
    }

    /// Returns this layout without these memories.
    #[must_use]
    pub fn without<'m>(mut self, memories: impl IntoIterator<Item = &'m MemoryId>) -> Self {
        for memory in memories {
            if let Some(layout) = self.memories.get_mut(memory.0 as usize) {
                *layout = None;
            }
        }
        self
    }

    /// Returns the layout of a memory, if it is watched.
    pub fn memory(&self, memory: MemoryId) -> Option<MemoryLayout> {
        *self.memories.get(memory.0 as usize)?
    }

    /// Returns the layout of the accessed memory, if accesses to it are watched at this site.
    #[inline]
    pub fn watched(&self, accesses: &Accesses<'_>) -> Option<MemoryLayout> {
        if self.skips(accesses.site) { None } else { self.memory(accesses.memory) }
    }

    /// Returns the pairing of these accesses, if the paired site is watched too.
    #[inline]
    pub fn pairing(&self, accesses: &Accesses<'_>) -> Pairing {
        match accesses.pairing {
            Pairing::BeforeWrite(other) | Pairing::AfterRead(other) if self.skips(other) => {
                Pairing::Alone
            }
            pairing => pairing,
        }
    }

    /// Returns whether accesses at `site` to this memory are watched.
    pub fn looks_at(&self, SiteId(site): SiteId, memory: MemoryId) -> bool {
        !self.skips(SiteId(site)) && self.memory(memory).is_some()
    }

    /// Returns the size in bytes of the native monitor's shadow in a dispatch of this shape. The shadow of
    /// workgroup memory counts once per workgroup.
    pub fn shadow_bytes(&self, shape: Shape) -> u64 {
        let of = |memory: &MemoryLayout| {
            let granules = memory.granules_in(shape.workgroups.into());
            granules.saturating_mul(self.width(shape, memory.space).bytes())
        };
        self.memories.iter().flatten().map(of).sum()
    }

    /// Returns whether a site is skipped.
    #[inline]
    fn skips(&self, SiteId(site): SiteId) -> bool {
        self.skipped.get(site as usize) == Some(&true)
    }

    /// Returns the granules of a workgroup's own memory.
    pub fn granules_of(&self, workgroup: u32) -> impl Iterator<Item = Granule> {
        let memories = (0..).map(MemoryId).zip(&self.memories);
        let own = memories.filter_map(|(id, memory)| Some((id, (*memory)?)));
        own.filter(|(_, memory)| memory.space == Space::Workgroup).flat_map(move |(id, memory)| {
            let granules = 0..memory.bytes.div_ceil(1 << memory.granule_shift);
            granules.map(move |index| Granule { memory: id, workgroup, index })
        })
    }

    /// Returns the number of watched granules in a dispatch of this many workgroups.
    pub fn granules(&self, workgroups: u64) -> u64 {
        let granules = self.memories.iter().flatten();
        let granules = granules.map(|memory| memory.granules_in(workgroups));
        granules.sum()
    }
}

impl MemoryLayout {
    /// Returns the number of granules.
    pub fn granules(&self) -> u32 {
        (u64::from(self.bytes).div_ceil(1 << self.granule_shift)) as u32
    }

    /// Returns the number of granules in a dispatch of this many workgroups, without those that the end of
    /// the memory truncates.
    fn granules_in(&self, workgroups: u64) -> u64 {
        match self.space {
            Space::Workgroup => self.full_granules().saturating_mul(workgroups),
            Space::Storage | Space::Texture => self.full_granules(),
        }
    }

    /// Returns the number of granules without a truncated last one.
    fn full_granules(&self) -> u64 {
        u64::from(self.bytes >> self.granule_shift)
    }

    /// Returns the granules that an access touches, without those that are out of bounds.
    pub fn touched(&self, offset: u32, extent: Extent) -> Range<u32> {
        let first = u64::from(offset) + u64::from(extent.offset);
        let end = (first + u64::from(extent.bytes)).min(u64::from(self.bytes));
        if first >= end {
            return 0..0;
        }
        (first >> self.granule_shift) as u32..((end - 1) >> self.granule_shift) as u32 + 1
    }
}
