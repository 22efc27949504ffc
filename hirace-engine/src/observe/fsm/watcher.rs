//! Watching one workgroup: its clocks, the shadow of its own memory, and what it finds.

use super::shadow::{Instruction, Own, Remarks, Serial, Shared, change_all};
use super::word::Word;
use super::{Fsm, Granule, Seen};
use crate::ir::access::Action;
use crate::ir::barrier::Barrier;
use crate::ir::sites::SiteId;
use crate::observe::clocks::ordered;
use crate::vm::observer::{Accesses, Observer, Space, Watcher};
use std::sync::atomic::Ordering::Relaxed;

/// Watches one workgroup for an [`Fsm`]. What it found counts once it is dropped.
#[derive(Debug)]
pub struct FsmWatcher<'o> {
    fsm: &'o Fsm,
    workgroup: u32,
    serial: bool,
    /// By space.
    clocks: [u64; 3],
    /// By subgroup and space.
    subgroup_clocks: Vec<[u64; 3]>,
    /// By memory; empty for those that workgroups share, and until touched.
    own: Vec<Vec<Word>>,
    racy: Vec<(Granule, SiteId)>,
    /// The last instruction's; here to be used again.
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

    fn step_clock(&mut self, space: Space) {
        let clock = &mut self.clocks[space as usize];
        *clock += 1;
        if *clock > self.fsm.fields.last_clock() {
            *clock = 1;
            let (fields, workgroup) = (self.fsm.fields, self.workgroup);
            self.change(&[space], |word| fields.aged(word, workgroup));
        }
    }

    fn step_subgroup_clock(&mut self, subgroup: u32, space: Space) {
        let last = self.fsm.fields.last_subgroup_clock();
        let clock = self.subgroup_clock(subgroup, space);
        *clock += 1;
        if *clock > last {
            *clock = 1;
            let (fields, workgroup) = (self.fsm.fields, self.workgroup);
            self.change(&[space], |word| fields.aged_in_subgroup(word, workgroup, subgroup));
        }
    }

    /// Changes the words of all memories of one of these kinds.
    fn change(&mut self, spaces: &[Space], change: impl Fn(Word) -> Word) {
        if spaces.contains(&Space::Workgroup) {
            self.own.iter_mut().flatten().for_each(|word| *word = change(*word));
        }
        self.fsm.change_shared(spaces, change);
    }

    /// Keeps what the last instruction was remarkable for.
    #[cold]
    fn note(&mut self, accesses: &Accesses<'_>, space: Space) {
        let workgroup = if space == Space::Workgroup { self.workgroup } else { 0 };
        for index in self.remarks.racy.drain(..) {
            let granule = Granule { memory: accesses.memory, workgroup, index };
            self.racy.push((granule, accesses.site));
        }
        if std::mem::take(&mut self.remarks.flowed) && !accesses.commutes {
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
        let clock = self.clocks[memory.space as usize];
        let subgroup_clock = *self.subgroup_clock(accesses.subgroup, memory.space);
        let lane_0 = accesses.first_invocation;
        let stamp = fsm.fields.stamp(self.workgroup, lane_0, clock, subgroup_clock);
        let fields = fsm.fields;
        let instruction =
            Instruction { fields, verdicts: &fsm.verdicts, action, stamp, memory, accesses };
        let at = accesses.memory.0 as usize;
        match memory.space {
            Space::Workgroup => {
                let own = &mut self.own[at];
                if own.is_empty() {
                    *own = vec![0; memory.granules() as usize];
                }
                instruction.run(Own(own), &mut self.remarks);
            }
            _ if self.serial => instruction.run(Serial(&fsm.shadows[at]), &mut self.remarks),
            _ => instruction.run(Shared(&fsm.shadows[at]), &mut self.remarks),
        }
        if self.remarks.flowed || !self.remarks.racy.is_empty() {
            self.note(accesses, memory.space);
        }
    }

    fn barrier(&mut self, site: SiteId, barrier: Barrier) {
        for space in ordered(barrier.in_workgroup) {
            self.step_clock(space);
        }
        for subgroup in 0..self.fsm.subgroups {
            self.subgroup_barrier(site, subgroup, barrier);
        }
    }

    fn subgroup_barrier(&mut self, _: SiteId, subgroup: u32, barrier: Barrier) {
        for space in ordered(barrier.in_subgroup) {
            self.step_subgroup_clock(subgroup, space);
        }
    }

    fn diverged(&mut self) {
        self.diverged = true;
        // What it does from now on is not seen, so it may be anything.
        self.fsm.flowed.store(true, Relaxed);
    }
}

impl Drop for FsmWatcher<'_> {
    fn drop(&mut self) {
        let mut seen = self.fsm.seen();
        seen.checked += self.checked;
        for (granule, site) in self.racy.drain(..) {
            seen.race(granule, site);
        }
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
        *self.seen() = Seen::default();
        for shadow in &self.shadows {
            change_all(shadow, |_| 0);
        }
    }
}
