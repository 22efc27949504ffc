//! The fast monitor: one shadow word a granule, one look-up in the automaton's table an access.
//!
//! It finds exactly the granules that race (see [`fsm_spec::proof`]), in constant space, and without
//! knowing with whom: that is left to a [trace](super::tracer).
//!
//! Clocks count the barriers of each class that a workgroup has passed, subgroup clocks the subgroup
//! barriers; they start at 1. A clock that runs out starts anew after the workgroup has set the clocks
//! in all words it was the last to touch to 0, which is older than any. Nobody else looks at those
//! clocks: they say nothing to other workgroups. So checking stays exact, however many barriers a
//! kernel passes.

mod shadow;
pub mod watcher;
mod word;

use super::{Granule, Layout, Racy, Shape};
use crate::ir::sites::SiteId;
use crate::vm::observer::Space;
use rayon::prelude::*;
use shadow::change_all;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use word::{Fields, Verdicts, Word};

/// How many racy granules are kept; the others are counted.
const RACY_KEPT: usize = 1 << 20;

/// Observes a dispatch and finds the granules that race.
#[derive(Debug)]
pub struct Fsm {
    layout: Layout,
    /// How many subgroups a workgroup has.
    subgroups: u32,
    fields: Fields,
    verdicts: Verdicts,
    /// By memory; empty for those that workgroups do not share.
    shadows: Vec<Vec<AtomicU64>>,
    /// Whether the dispatch is known to run on one thread.
    serial: AtomicBool,
    flowed: AtomicBool,
    seen: Mutex<Seen>,
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
    racy: Racy,
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
        Self::with(layout, shape, &fsm_spec::TABLE, Word::BITS)
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
        let invocations = shape.workgroups as usize * shape.workgroup_size as usize;
        let shadow = |memory: &Option<super::MemoryLayout>| match memory {
            Some(memory) if memory.space != Space::Workgroup => {
                let words: Vec<AtomicU64> = bytemuck::zeroed_vec(memory.granules() as usize);
                if words.len() / PAGE <= invocations {
                    map_pages(&words);
                }
                words
            }
            _ => Vec::new(),
        };
        Self {
            shadows: layout.memories.iter().map(shadow).collect(),
            layout,
            subgroups: shape.workgroup_size.div_ceil(shape.subgroup_size.max(1)),
            fields: Fields::new(shape, clock_bits),
            verdicts: Verdicts::new(table),
            serial: AtomicBool::new(shape.workgroups <= 1),
            flowed: AtomicBool::new(false),
            seen: Mutex::default(),
        }
    }

    /// The granules that raced. Of a great many, some.
    pub fn racy(&self) -> Racy {
        self.seen().racy.clone()
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

    /// Changes the words of all memories that workgroups share and that are of one of these kinds.
    fn change_shared(&self, spaces: &[Space], change: impl Fn(Word) -> Word) {
        for (memory, shadow) in self.layout.memories.iter().zip(&self.shadows) {
            if memory.is_some_and(|memory| spaces.contains(&memory.space)) {
                change_all(shadow, &change);
            }
        }
    }
}

/// How many words a page of memory has, on most machines.
const PAGE: usize = 4096 / size_of::<Word>();

/// Writes to every page of new words. A system maps zeroed memory when it is first touched; what is read
/// before it is written is mapped twice, the second time with all other threads interrupted, and
/// accesses that jump about do that on nearly every page.
fn map_pages(words: &[AtomicU64]) {
    words.par_chunks(PAGE).with_min_len(64).for_each(|page| page[0].store(0, Relaxed));
}

impl Seen {
    fn race(&mut self, granule: Granule, site: SiteId) {
        if self.racy.len() < RACY_KEPT {
            self.racy.insert(granule, site);
        } else {
            self.dropped += 1;
        }
    }
}
