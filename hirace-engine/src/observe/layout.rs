//! What observers look at in a dispatch: memories with the sizes of their granules, and the sites where
//! accesses to them are watched.

use super::Shape;
use super::granule::Granule;
use super::width::{Barriers, Ordered, Width};
use crate::ir::access::Extent;
use crate::ir::sites::SiteId;
use crate::vm::observer::{Accesses, MemoryId, Pairing, Space};
use crate::watch::{self, NoShadow, NotWatched, Unwatched, WatchPlan};
use std::ops::Range;

/// What observers need to know before a dispatch.
#[derive(Clone, Debug)]
pub struct Layout {
    /// For each global variable by index: its granules, and the length of its memory in this dispatch.
    /// `None` for what is not watched.
    pub memories: Vec<Option<MemoryLayout>>,
    /// By site: whether it is not to be looked at, though its memory is. As long as the last such site wants.
    skipped: Vec<bool>,
    ordered: Ordered,
}

/// A memory that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// The kind of memory.
    pub space: Space,
    /// log2 of a granule's bytes: 2, 1 where 16-bit scalars live, 0 where `bool` does.
    pub granule_shift: u32,
    /// Length in bytes (texels count as 4).
    pub bytes: u32,
}

/// A layout in so much shadow memory, and what did not fit or was not to be watched.
#[derive(Clone, Debug, Default)]
pub struct Fitted {
    /// What is watched.
    pub layout: Layout,
    /// In which memories races may be missed, in the order of the module.
    pub unwatched: Vec<Unwatched>,
}

impl Default for Layout {
    fn default() -> Self {
        Self::of(Vec::new())
    }
}

impl Layout {
    /// These memories, by global variable, and all accesses to them. Barriers may be any.
    pub fn of(memories: Vec<Option<MemoryLayout>>) -> Self {
        Self { memories, skipped: Vec::new(), ordered: Ordered::ALL }
    }

    /// The same for a kernel whose barriers order this memory and no other.
    #[must_use]
    pub fn with_ordered(self, ordered: Ordered) -> Self {
        Self { ordered, ..self }
    }

    /// What `plan` watches, the memories one after another as long as their shadow takes no more than
    /// `room` bytes in a dispatch of this shape. `length` is how many bytes a memory has in that; one that has none is
    /// passed over.
    pub fn fitted(
        plan: &WatchPlan,
        shape: Shape,
        length: impl Fn(&watch::SharedVariable) -> Option<u32>,
        mut room: u64,
    ) -> Fitted {
        let (in_workgroup, in_subgroup) = plan.ordered();
        let layout = Self::default().with_ordered(Ordered { in_workgroup, in_subgroup });
        let mut fitted = Fitted { layout, unwatched: Vec::new() };
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
                fitted.unwatched.push(Unwatched { name: memory.name.clone(), reason });
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

    /// Takes note of the sites that `plan` does not watch.
    fn skip(&mut self, plan: &WatchPlan) {
        for (site, watched) in plan.sites() {
            let index = site.0 as usize;
            if watched.is_err() {
                self.skipped.resize(self.skipped.len().max(index + 1), false);
                self.skipped[index] = true;
            }
        }
    }

    /// The barriers that order memory of this kind.
    pub fn barriers(&self, space: Space) -> Barriers {
        self.ordered.barriers(space)
    }

    /// How long the native monitor's shadow words are of memory of this kind, in a dispatch of this shape.
    pub fn width(&self, shape: Shape, space: Space) -> Width {
        match space {
            // Nobody asks for the workgroup there.
            Space::Workgroup => Width::Narrow,
            Space::Storage | Space::Texture => Width::of(shape, self.barriers(space)),
        }
    }

    /// This layout, without these memories.
    #[must_use]
    pub fn without<'m>(mut self, memories: impl IntoIterator<Item = &'m MemoryId>) -> Self {
        for memory in memories {
            if let Some(layout) = self.memories.get_mut(memory.0 as usize) {
                *layout = None;
            }
        }
        self
    }

    /// The layout of a memory, if that is watched.
    pub fn memory(&self, memory: MemoryId) -> Option<MemoryLayout> {
        *self.memories.get(memory.0 as usize)?
    }

    /// The layout of the memory that is accessed, if that is watched at this site.
    #[inline]
    pub fn watched(&self, accesses: &Accesses<'_>) -> Option<MemoryLayout> {
        if self.skips(accesses.site) { None } else { self.memory(accesses.memory) }
    }

    /// What is looked at together with these accesses: what is watched too.
    #[inline]
    pub fn pairing(&self, accesses: &Accesses<'_>) -> Pairing {
        match accesses.pairing {
            Pairing::BeforeWrite(other) | Pairing::AfterRead(other) if self.skips(other) => {
                Pairing::Alone
            }
            pairing => pairing,
        }
    }

    /// Whether accesses at `site` to this memory are looked at.
    pub fn looks_at(&self, SiteId(site): SiteId, memory: MemoryId) -> bool {
        !self.skips(SiteId(site)) && self.memory(memory).is_some()
    }

    /// Bytes of the native monitor's shadow in a dispatch of this shape. That of workgroup memory counts for each
    /// workgroup.
    pub fn shadow_bytes(&self, shape: Shape) -> u64 {
        let of = |memory: &MemoryLayout| {
            let granules = memory.granules_in(shape.workgroups.into());
            granules.saturating_mul(self.width(shape, memory.space).bytes())
        };
        self.memories.iter().flatten().map(of).sum()
    }

    /// Whether a site is not looked at.
    #[inline]
    fn skips(&self, SiteId(site): SiteId) -> bool {
        self.skipped.get(site as usize) == Some(&true)
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

    /// How many granules are watched in a dispatch of so many workgroups.
    pub fn granules(&self, workgroups: u64) -> u64 {
        let granules = self.memories.iter().flatten();
        let granules = granules.map(|memory| memory.granules_in(workgroups));
        granules.sum()
    }
}

impl MemoryLayout {
    /// How many granules there are.
    pub fn granules(&self) -> u32 {
        (u64::from(self.bytes).div_ceil(1 << self.granule_shift)) as u32
    }

    /// How many there are in a dispatch of so many workgroups, but for those that ends cut short.
    fn granules_in(&self, workgroups: u64) -> u64 {
        match self.space {
            Space::Workgroup => self.full_granules().saturating_mul(workgroups),
            Space::Storage | Space::Texture => self.full_granules(),
        }
    }

    /// How many there are but for one that the end cuts short.
    fn full_granules(&self) -> u64 {
        u64::from(self.bytes >> self.granule_shift)
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
