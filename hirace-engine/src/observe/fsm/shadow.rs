//! Arrays of shadow words, and the loop that takes accesses through the automaton.

use super::word::{Fields, Verdicts, Word};
use crate::vm::observer::Accesses;
use fsm_spec::Action;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How the words of a memory are read and replaced.
pub(super) trait Cells {
    /// The word of a granule; `None` past the end.
    fn load(&self, at: usize) -> Option<Word>;

    /// Asks for words that will be needed soon, where getting them takes long.
    #[inline(always)]
    fn ask_for(&self, _: impl Iterator<Item = u32>) {}

    /// Replaces `old` by `new`; gives what was there instead of `old`, if another was faster.
    fn replace(&mut self, at: usize, old: Word, new: Word) -> Result<(), Word>;
}

/// Words that workgroups share while they run in parallel.
pub(super) struct Shared<'s>(pub &'s [AtomicU64]);

/// Words of a dispatch that runs on one thread.
pub(super) struct Serial<'s>(pub &'s [AtomicU64]);

/// Words of a workgroup's own memory.
pub(super) struct Own<'s>(pub &'s mut [Word]);

impl Cells for Shared<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> Option<Word> {
        Some(self.0.get(at)?.load(Relaxed))
    }

    // An exchange waits for its own cache miss, and the next for that. Plain loads do not: their
    // misses overlap.
    #[inline(always)]
    fn ask_for(&self, granules: impl Iterator<Item = u32>) {
        let words = granules.map(|granule| self.load(granule as usize).unwrap_or(0));
        std::hint::black_box(words.fold(0, |all, word| all | word));
    }

    #[inline(always)]
    fn replace(&mut self, at: usize, old: Word, new: Word) -> Result<(), Word> {
        self.0[at].compare_exchange_weak(old, new, Relaxed, Relaxed).map(|_| ())
    }
}

impl Cells for Serial<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> Option<Word> {
        Some(self.0.get(at)?.load(Relaxed))
    }

    #[inline(always)]
    fn replace(&mut self, at: usize, _: Word, new: Word) -> Result<(), Word> {
        self.0[at].store(new, Relaxed);
        Ok(())
    }
}

impl Cells for Own<'_> {
    #[inline(always)]
    fn load(&self, at: usize) -> Option<Word> {
        self.0.get(at).copied()
    }

    #[inline(always)]
    fn replace(&mut self, at: usize, _: Word, new: Word) -> Result<(), Word> {
        self.0[at] = new;
        Ok(())
    }
}

/// What all lanes of one instruction have in common.
pub(super) struct Instruction<'a> {
    pub fields: Fields,
    pub verdicts: &'a Verdicts,
    pub action: Action,
    /// The stamp of lane 0.
    pub stamp: Word,
    pub memory: crate::observe::MemoryLayout,
    pub accesses: &'a Accesses<'a>,
}

/// What came of an instruction, besides new words.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Granules that were found racy.
    pub racy: Vec<u32>,
    /// Whether values may have flowed between workgroups.
    pub flowed: bool,
}

impl Instruction<'_> {
    /// Takes every lane's access through the automaton.
    pub fn run(&self, mut cells: impl Cells, remarks: &mut Remarks) {
        let granule = 1 << self.memory.granule_shift;
        match self.accesses.extent {
            // An aligned scalar, which is most accesses.
            [extent] if extent.bytes == granule => {
                let granule_of =
                    |offset: u32| offset.wrapping_add(extent.offset) >> self.memory.granule_shift;
                cells.ask_for(self.accesses.lanes().map(|(_, offset)| granule_of(offset)));
                for (lane, offset) in self.accesses.lanes() {
                    self.access(&mut cells, lane, granule_of(offset), remarks);
                }
            }
            extents => {
                for (lane, offset) in self.accesses.lanes() {
                    for at in extents.iter().flat_map(|e| self.memory.touched(offset, *e)) {
                        self.access(&mut cells, lane, at, remarks);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn access(&self, cells: &mut impl Cells, lane: u32, granule: u32, remarks: &mut Remarks) {
        let at = granule as usize;
        let stamp = self.fields.of_lane(self.stamp, lane);
        let Some(mut old) = cells.load(at) else { return };
        let verdict = loop {
            let verdict = self.fields.judge(self.verdicts, self.action, old, stamp);
            let new = stamp | verdict.state();
            if verdict.keeps() || new == old {
                break verdict;
            }
            match cells.replace(at, old, new) {
                Ok(()) => break verdict,
                Err(other) => old = other,
            }
        };
        if verdict.remarkable() {
            remarks.flowed |= verdict.flows();
            if verdict.races() {
                remarks.racy.push(granule);
            }
        }
    }
}

/// Changes every word as `change` says, whoever else does.
pub(super) fn change_all(words: &[AtomicU64], change: impl Fn(Word) -> Word) {
    for word in words {
        // `Err` says that the word is as it should be.
        let _ = word.fetch_update(Relaxed, Relaxed, |old| {
            let new = change(old);
            (new != old).then_some(new)
        });
    }
}
