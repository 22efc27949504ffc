//! Arrays of shadow words.

use super::fields::Fields;
use super::word::Word;
use crate::observe::{Layout, MemoryLayout, Shape};
use crate::vm::observer::Space;
use rayon::prelude::*;

/// The shadow words of all memories that workgroups share.
#[derive(Debug)]
pub(super) struct Shadow<W: Word> {
    pub fields: Fields<W>,
    /// For each memory, its space and its words; no words for memories that workgroups do not share.
    memories: Vec<(Space, Vec<W::Cell>)>,
}

impl<W: Word> Shadow<W> {
    /// Creates the shadow of the memories of a dispatch.
    pub fn new(layout: &Layout, shape: Shape, fields: Fields<W>) -> Self {
        let invocations = shape.workgroups as usize * shape.workgroup_size as usize;
        let shadow = |memory: &Option<MemoryLayout>| match memory {
            Some(memory) if memory.space != Space::Workgroup => {
                let words: Vec<W::Cell> = bytemuck::zeroed_vec(memory.granules() as usize);
                if words.len() / Self::PAGE <= invocations {
                    Self::map_pages(&words);
                }
                (memory.space, words)
            }
            _ => (Space::Workgroup, Vec::new()),
        };
        Self { memories: layout.memories.iter().map(shadow).collect(), fields }
    }

    /// Number of words per page of memory, on most machines.
    const PAGE: usize = 4096 / size_of::<W::Cell>();

    /// Writes to every page of new words. The system maps zeroed memory when it is first touched. A page that
    /// is read before it is written is mapped twice, and the second mapping interrupts all other threads;
    /// irregular accesses would do that on nearly every page.
    fn map_pages(words: &[W::Cell]) {
        let pages = words.par_chunks(Self::PAGE).with_min_len(64);
        pages.for_each(|page| W::default().store(&page[0]));
    }

    /// Discards all accesses. No other thread may use the words meanwhile. Untouched words stay unmapped.
    pub fn clear(&self) {
        for (_, words) in &self.memories {
            let words = words.par_iter().with_min_len(64 * Self::PAGE);
            let touched = words.filter(|word| W::load(word) != W::default());
            touched.for_each(|word| W::default().store(word));
        }
    }

    /// Returns the words of a memory.
    pub fn words(&self, memory: usize) -> &[W::Cell] {
        &self.memories[memory].1
    }

    /// Applies `change` to every word of the memories in these spaces, also while other threads change words.
    pub fn change(&self, of: impl Fn(Space) -> bool, change: impl Fn(W) -> W) {
        for cell in
            self.memories.iter().filter(|(space, _)| of(*space)).flat_map(|(_, words)| words)
        {
            let mut old = W::load(cell);
            let mut new = change(old);
            while new != old
                && let Err(other) = new.exchange(cell, old)
            {
                old = other;
                new = change(old);
            }
        }
    }
}

/// Reads and replaces the words of a memory.
pub(super) trait Cells<W> {
    /// Returns the word of a granule; `None` if out of bounds.
    fn load(&self, at: usize) -> Option<W>;

    /// Replaces `old` by `new`; returns the current word if it differs from `old`. Does nothing if out of
    /// bounds.
    fn replace(&mut self, at: usize, old: W, new: W) -> Result<(), W>;
}

/// Words that workgroups share while they run in parallel.
pub(super) struct Parallel<'s, W: Word>(pub &'s [W::Cell]);

/// Words of a dispatch that runs on one thread.
pub(super) struct Serial<'s, W: Word>(pub &'s [W::Cell]);

/// Words of a workgroup's own memory.
pub(super) struct OwnWords<'s, W>(pub &'s mut [W]);

impl<W: Word> Cells<W> for Parallel<'_, W> {
    #[inline(always)]
    fn load(&self, at: usize) -> Option<W> {
        Some(W::load(self.0.get(at)?))
    }

    #[inline(always)]
    fn replace(&mut self, at: usize, old: W, new: W) -> Result<(), W> {
        self.0.get(at).map_or(Ok(()), |cell| new.exchange(cell, old))
    }
}

impl<W: Word> Cells<W> for Serial<'_, W> {
    #[inline(always)]
    fn load(&self, at: usize) -> Option<W> {
        Some(W::load(self.0.get(at)?))
    }

    #[inline(always)]
    fn replace(&mut self, at: usize, old: W, new: W) -> Result<(), W> {
        let Some(cell) = self.0.get(at) else { return Ok(()) };
        let there = W::load(cell);
        if there != old {
            return Err(there);
        }
        new.store(cell);
        Ok(())
    }
}

impl<W: Word> Cells<W> for OwnWords<'_, W> {
    #[inline(always)]
    fn load(&self, at: usize) -> Option<W> {
        self.0.get(at).copied()
    }

    #[inline(always)]
    fn replace(&mut self, at: usize, old: W, new: W) -> Result<(), W> {
        let Some(word) = self.0.get_mut(at) else { return Ok(()) };
        if *word != old {
            return Err(*word);
        }
        *word = new;
        Ok(())
    }
}
