//! The fast monitor: one shadow word a granule, one look-up in the automaton's table an access; the lanes of an
//! instruction go through it together.
//!
//! It finds exactly the granules that race (see [`fsm_spec::proof`]), in constant space, and without
//! knowing with whom: that is left to a [trace](super::tracer).
//!
//! Clocks count the barriers of each class that a workgroup has passed, subgroup clocks the subgroup
//! barriers; they start at 1. A clock that runs out starts anew after the workgroup has set the clocks
//! in all words it was the last to touch to 0, which is older than any. Nobody else looks at those
//! clocks: they say nothing to other workgroups. So checking stays exact, however many barriers a
//! kernel passes.

mod fields;
mod row;
mod shadow;
mod verdict;
pub mod watcher;
mod word;

use super::width::Width;
use super::{Granule, Layout, Racy, Shape};
use crate::ir::sites::SiteId;
use crate::vm::observer::Space;
use fields::Fields;
use shadow::Shadow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use verdict::Verdicts;

/// How many racy granules are kept; the others are counted.
pub const RACY_KEPT: usize = 1 << 20;

/// Observes a dispatch and finds the granules that race.
#[derive(Debug)]
pub struct Fsm {
    layout: Layout,
    /// How many subgroups a workgroup has.
    subgroups: u32,
    verdicts: Verdicts,
    /// Of memory that workgroups share.
    shared: Shared,
    /// Of the words of a workgroup's own memory, which need not say of which workgroup they are.
    own: Fields<u32>,
    /// Whether the dispatch is known to run on one thread.
    serial: AtomicBool,
    flowed: AtomicBool,
    seen: Mutex<Seen>,
}

/// Shadow words as long as the dispatch needs them.
#[derive(Debug)]
enum Shared {
    Narrow(Shadow<u32>),
    Wide(Shadow<u64>),
}

impl Shared {
    /// Forgets all accesses.
    fn clear(&self) {
        match self {
            Self::Narrow(shadow) => shadow.clear(),
            Self::Wide(shadow) => shadow.clear(),
        }
    }
}

/// What the monitor could not judge, or not keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// Workgroups that were not watched after a barrier which not all of their invocations reached.
    pub diverged: Option<Diverged>,
    /// How many racy words were not kept.
    pub racy_words: u64,
}

/// Workgroups that diverged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diverged {
    /// The first of them.
    pub first: u32,
    /// How many others there are.
    pub others: u32,
}

/// What workgroups that ended have seen.
#[derive(Debug, Default)]
struct Seen {
    /// As they came: in order only once somebody asks.
    racy: Vec<(Granule, SiteId)>,
    /// Racy granules over [`RACY_KEPT`].
    dropped: u64,
    checked: u64,
    /// How many workgroups diverged, and the first of them.
    diverged: u32,
    first_diverged: u32,
}

impl Fsm {
    /// For a dispatch of this shape over these memories.
    pub fn new(layout: Layout, shape: Shape) -> Self {
        Self::with(layout, shape, &fsm_spec::TABLE, u64::BITS)
    }

    /// As [`Fsm::new`], for a dispatch that runs on one thread.
    pub fn serial(layout: Layout, shape: Shape) -> Self {
        let fsm = Self::new(layout, shape);
        fsm.serial.store(true, Relaxed);
        fsm
    }

    /// With another table, and with clocks of at most so many bits: what tests of the tests need.
    pub fn with(
        layout: Layout,
        shape: Shape,
        table: &[u8; fsm_spec::TRANSITIONS],
        clock_bits: u32,
    ) -> Self {
        let width = layout.width(shape, Space::Storage);
        Self::with_width(layout, shape, table, clock_bits, width)
    }

    /// The same with words of another length than would serve; those of a workgroup's own memory have theirs. Ids have to
    /// leave bits for clocks.
    pub fn with_width(
        layout: Layout,
        shape: Shape,
        table: &[u8; fsm_spec::TRANSITIONS],
        clock_bits: u32,
        width: Width,
    ) -> Self {
        let shared = layout.barriers(Space::Storage);
        let own = Shape { workgroups: 1, ..shape };
        Self {
            shared: match width {
                Width::Narrow => Shared::Narrow(Shadow::new(
                    &layout,
                    shape,
                    Fields::new(shape, shared, clock_bits),
                )),
                Width::Wide => Shared::Wide(Shadow::new(
                    &layout,
                    shape,
                    Fields::new(shape, shared, clock_bits),
                )),
            },
            own: Fields::new(own, layout.barriers(Space::Workgroup), clock_bits),
            layout,
            subgroups: shape.workgroup_size.div_ceil(shape.subgroup_size.max(1)),
            verdicts: Verdicts::new(table),
            serial: AtomicBool::new(shape.workgroups <= 1),
            flowed: AtomicBool::new(false),
            seen: Mutex::default(),
        }
    }

    /// The granules that raced. Of a great many, some.
    pub fn racy(&self) -> Racy {
        self.seen().racy.iter().copied().collect()
    }

    /// How many accesses were checked: one for each lane of an instruction.
    pub fn checked(&self) -> u64 {
        self.seen().checked
    }

    /// What was given up.
    pub fn given_up(&self) -> GivenUp {
        let seen = self.seen();
        let diverged = seen.diverged.checked_sub(1);
        GivenUp {
            diverged: diverged.map(|others| Diverged { first: seen.first_diverged, others }),
            racy_words: seen.dropped,
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn races(&mut self, racy: &[(Granule, SiteId)]) {
        let room = RACY_KEPT.saturating_sub(self.racy.len()).min(racy.len());
        self.racy.extend(&racy[..room]);
        self.dropped += (racy.len() - room) as u64;
    }
}
