//! The fast monitor: one shadow word per granule and one table look-up per access. The lanes of an
//! instruction are processed together.
//!
//! It finds exactly the granules that race (see [`fsm_spec::proof`]), in constant space. It does not know the
//! other access of a race; a [trace](super::tracer) finds it.
//!
//! Clocks count the barriers of each class that a workgroup has passed, subgroup clocks the subgroup
//! barriers; they start at 1. When a clock overflows, the workgroup sets the clocks in all words whose last
//! accessor it is to 0, which is older than any clock, and restarts its own. No other workgroup reads these
//! clocks, because they have no meaning for it. So checking stays exact, however many barriers a kernel
//! passes.

mod fields;
mod row;
mod shadow;
mod verdict;
pub mod watcher;
mod word;

use super::width::Width;
use super::{Granule, Layout, RacyGranules, Shape};
use crate::ir::sites::SiteId;
use crate::vm::observer::Space;
use fields::Fields;
use shadow::Shadow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use verdict::Verdicts;

/// Maximum number of racy granules that are kept; the others are only counted.
pub const RACY_KEPT: usize = 1 << 20;

/// Observes a dispatch and finds the granules that race.
#[derive(Debug)]
pub struct Fsm {
    layout: Layout,
    /// Number of subgroups of a workgroup.
    subgroups: u32,
    verdicts: Verdicts,
    /// The shadow of memory that workgroups share.
    shared: Shared,
    /// The fields of shadow words for a workgroup's own memory, which need not contain the workgroup.
    own: Fields<u32>,
    /// Whether the dispatch is known to run on one thread.
    serial: AtomicBool,
    flowed: AtomicBool,
    seen: Mutex<EndedResults>,
}

/// Shadow words of the width that the dispatch needs.
#[derive(Debug)]
enum Shared {
    Narrow(Shadow<u32>),
    Wide(Shadow<u64>),
}

impl Shared {
    /// Discards all accesses.
    fn clear(&self) {
        match self {
            Self::Narrow(shadow) => shadow.clear(),
            Self::Wide(shadow) => shadow.clear(),
        }
    }
}

/// What the monitor could not judge or not keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MonitorGaps {
    /// Workgroups that were not watched after a barrier that not all of their invocations reached.
    pub diverged: Option<DivergedWorkgroups>,
    /// Number of racy words that were not kept.
    pub racy_words: u64,
}

/// Workgroups that diverged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivergedWorkgroups {
    /// The first of these workgroups.
    pub first: u32,
    /// Number of the other workgroups.
    pub others: u32,
}

/// The results of ended workgroups.
#[derive(Debug, Default)]
struct EndedResults {
    /// The racy granules in order of arrival; they are sorted on request.
    racy: Vec<(Granule, SiteId)>,
    /// Number of racy granules beyond [`RACY_KEPT`].
    dropped: u64,
    checked: u64,
    /// Number of workgroups that diverged; `first_diverged` is the first of them.
    diverged: u32,
    first_diverged: u32,
}

impl Fsm {
    /// Creates a monitor for a dispatch of this shape over these memories.
    pub fn new(layout: Layout, shape: Shape) -> Self {
        Self::with(layout, shape, &fsm_spec::TABLE, u64::BITS)
    }

    /// Creates a monitor for a dispatch that runs on one thread.
    pub fn serial(layout: Layout, shape: Shape) -> Self {
        let fsm = Self::new(layout, shape);
        fsm.serial.store(true, Relaxed);
        fsm
    }

    /// Creates a monitor with another table and with clocks of at most `clock_bits` bits, to test the tests.
    pub fn with(
        layout: Layout,
        shape: Shape,
        table: &[u8; fsm_spec::TRANSITIONS],
        clock_bits: u32,
    ) -> Self {
        let width = layout.width(shape, Space::Storage);
        Self::with_width(layout, shape, table, clock_bits, width)
    }

    /// Creates a monitor with words of another width than necessary; those of a workgroup's own memory keep
    /// their width. Ids must leave bits for clocks.
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

    /// Returns the granules that raced; at most [`RACY_KEPT`] of them.
    pub fn racy(&self) -> RacyGranules {
        self.seen().racy.iter().copied().collect()
    }

    /// Returns the number of checked accesses: one for each lane of an instruction.
    pub fn checked(&self) -> u64 {
        self.seen().checked
    }

    /// Returns what the monitor could not judge or not keep.
    pub fn gaps(&self) -> MonitorGaps {
        let seen = self.seen();
        let diverged = seen.diverged.checked_sub(1);
        MonitorGaps {
            diverged: diverged
                .map(|others| DivergedWorkgroups { first: seen.first_diverged, others }),
            racy_words: seen.dropped,
        }
    }

    fn seen(&self) -> MutexGuard<'_, EndedResults> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndedResults {
    fn races(&mut self, racy: &[(Granule, SiteId)]) {
        let room = RACY_KEPT.saturating_sub(self.racy.len()).min(racy.len());
        self.racy.extend(&racy[..room]);
        self.dropped += (racy.len() - room) as u64;
    }
}
