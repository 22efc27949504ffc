//! Arrays of shadow words.

use super::fields::Fields;
use super::word::Word;
use crate::observe::{Layout, MemoryLayout, Shape};
use crate::vm::observer::Space;
use rayon::prelude::*;

/// The words of all memories that workgroups share.
#[derive(Debug)]
pub(super) struct Shadow<W: Word> {
    pub fields: Fields<W>,
    /// By memory, its kind and its words; none for those that workgroups do not share.
    memories: Vec<(Space, Vec<W::Cell>)>,
}

impl<W: Word> Shadow<W> {
    /// Of the memories of a dispatch.
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

    /// How many words a page of memory has, on most machines.
    const PAGE: usize = 4096 / size_of::<W::Cell>();

    /// Writes to every page of new words. A system maps zeroed memory when it is first touched; what is read
    /// before it is written is mapped twice, the second time with all other threads interrupted, and
    /// accesses that jump about do that on nearly every page.
    fn map_pages(words: &[W::Cell]) {
        let pages = words.par_chunks(Self::PAGE).with_min_len(64);
        pages.for_each(|page| W::default().store(&page[0]));
    }

    /// Forgets all accesses, while nobody else looks. Words that nobody has touched stay out of memory.
    pub fn clear(&self) {
        for (_, words) in &self.memories {
            let words = words.par_iter().with_min_len(64 * Self::PAGE);
            let touched = words.filter(|word| W::load(word) != W::default());
            touched.for_each(|word| W::default().store(word));
        }
    }

    /// The words of a memory.
    pub fn words(&self, memory: usize) -> &[W::Cell] {
        &self.memories[memory].1
    }

    /// Changes every word of memories of these kinds as `change` says, whoever else does.
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

/// How the words of a memory are read and replaced.
pub(super) trait Cells<W> {
    /// The word of a granule; `None` past the end.
    fn load(&self, at: usize) -> Option<W>;

    /// Replaces `old` by `new`; gives what is there instead of `old`, if that is something else. Past the end nothing is.
    fn replace(&mut self, at: usize, old: W, new: W) -> Result<(), W>;
}

/// Words that workgroups share while they run in parallel.
pub(super) struct Parallel<'s, W: Word>(pub &'s [W::Cell]);

/// Words of a dispatch that runs on one thread.
pub(super) struct Serial<'s, W: Word>(pub &'s [W::Cell]);

/// Words of a workgroup's own memory.
pub(super) struct Own<'s, W>(pub &'s mut [W]);

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

impl<W: Word> Cells<W> for Own<'_, W> {
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
