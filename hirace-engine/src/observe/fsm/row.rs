//! Runs the accesses of one instruction through the automaton, all lanes together.
//!
//! First all words are read, so that their cache misses overlap. Most words need not change, which their
//! states show. Otherwise the indices of the verdicts are computed for all lanes, in loops over arrays that
//! the compiler vectorizes, and only the changes are made one by one. If a word has changed since it was
//! judged, the access is judged again. Lanes of one instruction are not ordered, so an access that changes
//! nothing may count as having come first.

use super::fields::Fields;
use super::shadow::Cells;
use super::verdict::{ActionVerdicts, Verdict};
use super::word::Word;
use crate::observe::MemoryLayout;
use crate::vm::observer::Accesses;

/// What all lanes of one instruction have in common.
pub(super) struct Instruction<'a, W> {
    pub fields: Fields<W>,
    pub verdicts: &'a ActionVerdicts,
    /// The verdicts of the reads, if `verdicts` are those of reads and writes combined.
    pub of_reads: Option<&'a ActionVerdicts>,
    /// The stamp of lane 0.
    pub stamp: W,
    pub memory: MemoryLayout,
    pub accesses: &'a Accesses<'a>,
}

/// The results of an instruction other than new words.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Granules that were found to be racy.
    pub racy: Vec<RacyAccess>,
    /// Whether values may have flowed between workgroups.
    pub has_flowed: bool,
}

/// A granule that was found to be racy.
#[derive(Clone, Copy, Debug)]
pub(super) struct RacyAccess {
    pub granule: u32,
    /// Whether the racing access is the read of a combined read and write.
    pub by_read: bool,
}

/// Runs every lane's access through the automaton, with the vector extensions that the processor has.
#[cfg_attr(
    vectors,
    multiversion::multiversion(targets(
        "x86_64+avx+avx2+bmi1+bmi2+lzcnt+popcnt+sse3+ssse3+sse4.1+sse4.2"
    ))
)]
pub(super) fn run<W: Word, C: Cells<W>>(
    instruction: &Instruction<'_, W>,
    cells: C,
    remarks: &mut Remarks,
) {
    instruction.run(cells, remarks);
}

/// Prefetches the words of accesses that are judged soon.
pub(super) fn prefetch<W: Word>(memory: MemoryLayout, accesses: &Accesses<'_>, words: &[W::Cell]) {
    let Some(extent) = accesses.extent.first() else { return };
    let mut all = W::default();
    for offsets in accesses.offsets.chunks(8) {
        for offset in offsets {
            let granule = offset.wrapping_add(extent.offset) >> memory.granule_shift;
            all = all | words.get(granule as usize).map_or(W::default(), W::load);
        }
    }
    std::hint::black_box(all);
}

impl<W: Word> Instruction<'_, W> {
    #[inline(always)]
    fn run(&self, mut cells: impl Cells<W>, remarks: &mut Remarks) {
        if !self.is_whole() {
            return self.one_by_one(&mut cells, remarks);
        }
        for extent in self.accesses.extent {
            for part in 0..extent.bytes >> self.memory.granule_shift {
                let from = extent.offset + (part << self.memory.granule_shift);
                self.granules(&mut cells, from, remarks);
            }
        }
    }

    /// Returns whether every lane touches whole granules, as aligned scalars do. Most accesses are of this
    /// kind.
    fn is_whole(&self) -> bool {
        let within = (1u32 << self.memory.granule_shift) - 1;
        let Accesses { extent, .. } = self.accesses;
        match extent {
            [extent] if extent.bytes == within + 1 => true,
            _ if within == 0 => true,
            extents => {
                let cut = |all, (_, offset): (u32, u32)| all | offset;
                let offsets = self.accesses.lanes().fold(0, cut);
                extents.iter().all(|extent| (extent.offset | extent.bytes | offsets) & within == 0)
            }
        }
    }

    /// Processes the accesses to granules `from` bytes after the lanes' offsets.
    #[inline(always)]
    fn granules(&self, cells: &mut impl Cells<W>, from: u32, remarks: &mut Remarks) {
        let offsets = self.accesses.offsets;
        if let Ok(offsets) = <&[u32; 32]>::try_from(offsets) {
            self.row(offsets, cells, from, remarks);
        } else if let Ok(offsets) = <&[u32; 64]>::try_from(offsets) {
            self.row(offsets, cells, from, remarks);
        } else {
            for (lane, offset) in self.accesses.lanes() {
                self.access(cells, lane, self.granule(offset, from), remarks);
            }
        }
    }

    #[inline(always)]
    fn granule(&self, offset: u32, from: u32) -> u32 {
        offset.wrapping_add(from) >> self.memory.granule_shift
    }

    #[inline(always)]
    fn row<const N: usize>(
        &self,
        offsets: &[u32; N],
        cells: &mut impl Cells<W>,
        from: u32,
        remarks: &mut Remarks,
    ) {
        let all = self.accesses.mask == u64::MAX >> (64 - N);
        let mut words = [W::default(); N];
        let mut states = 0u32;
        let mut read = |lane: usize, offset: u32| {
            words[lane] = cells.load(self.granule(offset, from) as usize).unwrap_or_default();
            states |= 1 << words[lane].state();
        };
        match all {
            true => offsets.iter().enumerate().for_each(|(lane, offset)| read(lane, *offset)),
            false => self.accesses.lanes().for_each(|(lane, offset)| read(lane as usize, offset)),
        }
        if self.verdicts.are_quiet(states) {
            return;
        }
        let (stamps, places) = self.places(&words);
        for (lane, offset) in self.accesses.lanes() {
            let (granule, lane) = (self.granule(offset, from), lane as usize);
            let verdict = self.verdicts.at(places[lane].bits() as usize);
            self.change(cells, stamps[lane], granule, (words[lane], verdict), remarks);
        }
    }

    /// Returns the stamps of all lanes, and the indices of the verdicts on these words.
    #[inline(always)]
    fn places<const N: usize>(&self, words: &[W; N]) -> ([W; N], [W; N]) {
        let (mut stamps, mut places) = ([W::default(); N], [W::default(); N]);
        for (lane, stamp) in (0u32..).zip(&mut stamps) {
            *stamp = self.fields.of_lane(self.stamp, lane);
        }
        for ((place, word), stamp) in places.iter_mut().zip(words).zip(&stamps) {
            *place = self.fields.place(*word, *stamp);
        }
        (stamps, places)
    }

    fn one_by_one(&self, cells: &mut impl Cells<W>, remarks: &mut Remarks) {
        for (lane, offset) in self.accesses.lanes() {
            let extents = self.accesses.extent.iter();
            for at in extents.flat_map(|extent| self.memory.touched_granules(offset, *extent)) {
                self.access(cells, lane, at, remarks);
            }
        }
    }

    #[inline(always)]
    fn access(&self, cells: &mut impl Cells<W>, lane: u32, granule: u32, remarks: &mut Remarks) {
        if let Some(word) = cells.load(granule as usize) {
            let stamp = self.fields.of_lane(self.stamp, lane);
            let verdict = self.fields.judge(self.verdicts, word, stamp);
            self.change(cells, stamp, granule, (word, verdict), remarks);
        }
    }

    /// Changes a word that was `old` when it was judged.
    #[inline(always)]
    fn change(
        &self,
        cells: &mut impl Cells<W>,
        stamp: W,
        granule: u32,
        (mut old, mut verdict): (W, Verdict),
        remarks: &mut Remarks,
    ) {
        loop {
            let new = stamp | W::from(verdict.state());
            if verdict.keeps() || new == old {
                break;
            }
            match cells.replace(granule as usize, old, new) {
                Ok(()) => break,
                Err(other) => old = other,
            }
            verdict = self.fields.judge(self.verdicts, old, stamp);
        }
        self.remark(verdict, granule, old, stamp, remarks);
    }

    /// Records a race or a flow of values in an access that found `old`.
    #[inline(always)]
    fn remark(&self, verdict: Verdict, granule: u32, old: W, stamp: W, remarks: &mut Remarks) {
        if verdict.remarkable() {
            remarks.has_flowed |= verdict.flows();
            if verdict.races() {
                let races = |read| self.fields.judge(read, old, stamp).races();
                let by_read = self.of_reads.is_some_and(races);
                remarks.racy.push(RacyAccess { granule, by_read });
            }
        }
    }
}
