//! Watches one workgroup: its clocks, the shadow of its own memory, and the races found.

use super::fields::Fields;
use super::row::{self, Instruction, Remarks};
use super::shadow::{OwnWords, Parallel, Serial, Shadow};
use super::verdict::ActionVerdicts;
use super::word::Word;
use super::{EndedResults, Fsm, Granule, Shared};
use crate::ir::access::Action;
use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::observe::MemoryLayout;
use crate::observe::clocks::ordered_spaces;
use crate::vm::observer::{Accesses, Observer, Pairing, Space, Watcher};
use std::sync::atomic::Ordering::Relaxed;

/// Watches one workgroup for an [`Fsm`]. Its results are added when it is dropped.
#[derive(Debug)]
pub struct FsmWatcher<'o> {
    fsm: &'o Fsm,
    workgroup: u32,
    serial: bool,
    /// The clocks by space.
    clocks: [u64; 3],
    /// The subgroup clocks by subgroup and space.
    subgroup_clocks: Vec<[u64; 3]>,
    /// The shadow words by memory; empty for memories that workgroups share, and until touched.
    own: Vec<Vec<u32>>,
    racy: Vec<(Granule, SiteId)>,
    /// The remarks of the last instruction; kept to reuse the allocation.
    remarks: Remarks,
    checked: u64,
    diverged: bool,
}

impl<'o> FsmWatcher<'o> {
    pub(super) fn new(fsm: &'o Fsm, workgroup: u32) -> Self {
        Self {
            fsm,
            workgroup,
            serial: fsm.serial.load(Relaxed),
            clocks: [1; 3],
            subgroup_clocks: Vec::new(),
            own: vec![Vec::new(); fsm.layout.memories.len()],
            racy: Vec::new(),
            remarks: Remarks::default(),
            checked: 0,
            diverged: false,
        }
    }

    fn subgroup_clock(&mut self, subgroup: u32, space: Space) -> &mut u64 {
        let at = subgroup as usize;
        if self.subgroup_clocks.len() <= at {
            self.subgroup_clocks.resize(at + 1, [1; 3]);
        }
        &mut self.subgroup_clocks[at][space as usize]
    }

    /// Returns the highest values of the workgroup clock and of the subgroup clock.
    fn last_clocks(&self, space: Space) -> (u64, u64) {
        let own = &self.fsm.own;
        match (space, &self.fsm.shared) {
            (Space::Workgroup, _) => (own.last_clock(), own.last_subgroup_clock()),
            (_, Shared::Narrow(Shadow { fields, .. })) => {
                (fields.last_clock(), fields.last_subgroup_clock())
            }
            (_, Shared::Wide(Shadow { fields, .. })) => {
                (fields.last_clock(), fields.last_subgroup_clock())
            }
        }
    }

    fn step_clock(&mut self, space: Space) {
        let (last, _) = self.last_clocks(space);
        let clock = &mut self.clocks[space as usize];
        *clock += 1;
        if *clock <= last {
            return;
        }
        *clock = 1;
        let (workgroup, is_of) = (self.workgroup, |other| other == space);
        match (space, &self.fsm.shared) {
            (Space::Workgroup, _) => self.change_own(|fields, word| fields.age(word, 0)),
            (_, Shared::Narrow(shadow)) => {
                shadow.change(is_of, |word| shadow.fields.age(word, workgroup));
            }
            (_, Shared::Wide(shadow)) => {
                shadow.change(is_of, |word| shadow.fields.age(word, workgroup));
            }
        }
    }

    fn step_subgroup_clock(&mut self, subgroup: u32, space: Space) {
        let (_, last) = self.last_clocks(space);
        let clock = self.subgroup_clock(subgroup, space);
        *clock += 1;
        if *clock <= last {
            return;
        }
        *clock = 1;
        let (workgroup, is_of) = (self.workgroup, |other| other == space);
        match (space, &self.fsm.shared) {
            (Space::Workgroup, _) => {
                self.change_own(|fields, word| fields.aged_in_subgroup(word, 0, subgroup));
            }
            (_, Shared::Narrow(shadow)) => {
                let aged = |word| shadow.fields.aged_in_subgroup(word, workgroup, subgroup);
                shadow.change(is_of, aged);
            }
            (_, Shared::Wide(shadow)) => {
                let aged = |word| shadow.fields.aged_in_subgroup(word, workgroup, subgroup);
                shadow.change(is_of, aged);
            }
        }
    }

    fn change_own(&mut self, change: impl Fn(&Fields<u32>, u32) -> u32) {
        let fields = &self.fsm.own;
        self.own.iter_mut().flatten().for_each(|word| *word = change(fields, *word));
    }

    /// Judges an access to memory that workgroups share.
    fn shared<W: Word>(
        &mut self,
        shadow: &Shadow<W>,
        verdicts: &ActionVerdicts,
        memory: MemoryLayout,
        accesses: &Accesses<'_>,
    ) {
        let stamp = self.stamp(&shadow.fields, self.workgroup, memory.space, accesses);
        let of_reads = self.of_reads(accesses);
        let instruction =
            Instruction { fields: shadow.fields, verdicts, of_reads, stamp, memory, accesses };
        let words = shadow.words(accesses.memory.0 as usize);
        match self.serial {
            true => row::run(&instruction, Serial(words), &mut self.remarks),
            false => row::run(&instruction, Parallel(words), &mut self.remarks),
        }
    }

    /// Judges an access to the workgroup's own memory.
    fn own(&mut self, verdicts: &ActionVerdicts, memory: MemoryLayout, accesses: &Accesses<'_>) {
        let fields = self.fsm.own;
        let stamp = self.stamp(&fields, 0, memory.space, accesses);
        let of_reads = self.of_reads(accesses);
        let own = &mut self.own[accesses.memory.0 as usize];
        if own.is_empty() {
            *own = vec![0; memory.granules() as usize];
        }
        let instruction = Instruction { fields, verdicts, of_reads, stamp, memory, accesses };
        row::run(&instruction, OwnWords(own), &mut self.remarks);
    }

    /// Prefetches the words of a read that is judged together with the following write.
    fn prefetch(&self, memory: MemoryLayout, accesses: &Accesses<'_>) {
        let at = accesses.memory.0 as usize;
        match (memory.space, &self.fsm.shared) {
            (Space::Workgroup, _) => {}
            (_, Shared::Narrow(shadow)) => row::prefetch::<u32>(memory, accesses, shadow.words(at)),
            (_, Shared::Wide(shadow)) => row::prefetch::<u64>(memory, accesses, shadow.words(at)),
        }
    }

    /// Returns the verdicts of the reads, if these accesses are writes that are judged together with reads.
    fn of_reads(&self, accesses: &Accesses<'_>) -> Option<&'o ActionVerdicts> {
        let fsm = self.fsm;
        let are_both = matches!(self.fsm.layout.pairing(accesses), Pairing::AfterRead(_));
        are_both.then(|| fsm.verdicts.of(fsm_spec::Action::R))
    }

    /// Returns the stamp of lane 0.
    fn stamp<W: Word>(
        &mut self,
        fields: &Fields<W>,
        workgroup: u32,
        space: Space,
        accesses: &Accesses<'_>,
    ) -> W {
        let clock = self.clocks[space as usize];
        let subgroup_clock = *self.subgroup_clock(accesses.subgroup, space);
        fields.stamp(workgroup, accesses.first_invocation, clock, subgroup_clock)
    }

    /// Records the remarks of the last instruction.
    #[cold]
    fn note(&mut self, accesses: &Accesses<'_>, space: Space) {
        let workgroup = if space == Space::Workgroup { self.workgroup } else { 0 };
        for racing in self.remarks.racy.drain(..) {
            let granule = Granule { memory: accesses.memory, workgroup, index: racing.granule };
            let site = match accesses.pairing {
                Pairing::AfterRead(site) if racing.by_read => site,
                _ => accesses.site,
            };
            self.racy.push((granule, site));
        }
        if std::mem::take(&mut self.remarks.has_flowed) && !accesses.commutes {
            self.fsm.flowed.store(true, Relaxed);
        }
    }
}

impl Watcher for FsmWatcher<'_> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        let fsm = self.fsm;
        let Some(memory) = fsm.layout.watched(accesses) else { return };
        if self.diverged {
            return;
        }
        let action = match (accesses.action, memory.space) {
            (Action::Read, _) => fsm_spec::Action::R,
            (Action::Write, _) => fsm_spec::Action::W,
            (Action::Atomic, Space::Workgroup) | (Action::AtomicInWorkgroup, _) => {
                fsm_spec::Action::BA
            }
            (Action::Atomic, Space::Storage | Space::Texture) => fsm_spec::Action::GA,
        };
        self.checked += u64::from(accesses.mask.count_ones());
        let pairing = fsm.layout.pairing(accesses);
        let verdicts = match pairing {
            Pairing::BeforeWrite(_) => return self.prefetch(memory, accesses),
            Pairing::AfterRead(_) => fsm.verdicts.of_update(),
            Pairing::Alone => fsm.verdicts.of(action),
        };
        match (memory.space, &fsm.shared) {
            (Space::Workgroup, _) => self.own(verdicts, memory, accesses),
            (_, Shared::Narrow(shadow)) => self.shared(shadow, verdicts, memory, accesses),
            (_, Shared::Wide(shadow)) => self.shared(shadow, verdicts, memory, accesses),
        }
        if self.remarks.has_flowed || !self.remarks.racy.is_empty() {
            self.note(accesses, memory.space);
        }
    }

    fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        for space in ordered_spaces(barrier.in_workgroup) {
            self.step_clock(space);
        }
        for subgroup in 0..self.fsm.subgroups {
            self.subgroup_barrier(site, subgroup, barrier);
        }
    }

    fn subgroup_barrier(&mut self, _: SiteId, subgroup: u32, barrier: Barrier) {
        for space in ordered_spaces(barrier.in_subgroup) {
            self.step_subgroup_clock(subgroup, space);
        }
    }

    fn diverged(&mut self) {
        self.diverged = true;
        // Later accesses of the workgroup are not seen, so values may flow.
        self.fsm.flowed.store(true, Relaxed);
    }
}

impl Drop for FsmWatcher<'_> {
    fn drop(&mut self) {
        let mut seen = self.fsm.seen();
        seen.checked += self.checked;
        seen.races(&self.racy);
        if self.diverged {
            if seen.diverged == 0 || self.workgroup < seen.first_diverged {
                seen.first_diverged = self.workgroup;
            }
            seen.diverged += 1;
        }
    }
}

impl Observer for Fsm {
    type Watcher<'o> = FsmWatcher<'o>;

    fn watch(&self, workgroup: u32) -> FsmWatcher<'_> {
        FsmWatcher::new(self, workgroup)
    }

    fn flowed(&self) -> bool {
        self.flowed.load(Relaxed)
    }

    fn reset(&self) {
        self.serial.store(true, Relaxed);
        self.flowed.store(false, Relaxed);
        *self.seen() = EndedResults::default();
        self.shared.clear();
    }
}
