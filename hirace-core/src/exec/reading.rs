//! What an instrumented dispatch left in its shadow, in terms of the program.

use crate::ir::sites::SiteId;
use crate::observe::{Granule, Racy, Shape};
use crate::program::Program;
use crate::shadow::fields::STATE_BITS;
use crate::shadow::layout::Layout;
use crate::shadow::log::{Log, Report, Stopped};
use crate::shadow::plan::Plan;
use crate::shadow::trail::{self, Trails};
use crate::vm::observer::{MemoryId, Space};

/// Reads the shadow's buffers.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The program that was instrumented.
    pub program: &'a Program,
    /// What of it is watched.
    pub plan: &'a Plan,
    /// The layout of the dispatch.
    pub layout: &'a Layout,
}

/// What was found there.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The racy granules.
    pub racy: Racy,
    /// Whether something went wrong of which nothing is noted.
    pub amiss: bool,
    /// Racy granules for which neither the log nor the buffers have room.
    pub dropped: u32,
    /// What was not judged.
    pub stopped: Stopped,
}

impl Reading<'_> {
    /// What the words of the buffers say. Those past the head of the first are looked at only if more
    /// raced than the log has room for.
    pub fn of(&self, buffers: &[Vec<u32>]) -> Found {
        let head = buffers.first().map_or(&[][..], Vec::as_slice);
        let log = Log::read(head, self.layout.log_entries);
        let mut found = Found {
            racy: self.logged(&log),
            amiss: log.amiss,
            dropped: log.dropped,
            stopped: log.stopped,
        };
        if log.dropped > 0 {
            let before = found.racy.len();
            self.add_unlogged(buffers, &mut found.racy);
            let added = (found.racy.len() - before) as u32;
            found.dropped = found.dropped.saturating_sub(added);
        }
        found
    }

    /// What the trails say, if they are kept; `None` if they have no room.
    pub fn trails(&self, buffers: &[Vec<u32>], shape: Shape) -> Option<Trails> {
        let head = buffers.first().map_or(&[][..], Vec::as_slice);
        let first = self.layout.trails?;
        Some(trail::read(head, first, shape.workgroups, shape.workgroup_size))
    }

    /// Takes out of `racy` what nobody may trust after these workgroups diverged: granules at which one of them was
    /// the last, and those of which it is not known who was. Their clocks parted, so that what they say of two
    /// accesses within such a workgroup need not be so; whoever is of another is right about it.
    pub fn distrust(&self, buffers: &[Vec<u32>], diverged: &[u32], racy: &mut Racy) {
        let head = buffers.first().map_or(&[][..], Vec::as_slice);
        let log = Log::read(head, self.layout.log_entries);
        let sound = log.reports.iter().filter(|r| diverged.binary_search(&r.workgroup).is_err());
        let sound: Racy = sound.filter_map(|report| self.racy(report)).collect();
        racy.retain(|granule, _| sound.contains_key(granule));
    }

    /// The racy granules that the log names.
    fn logged(&self, log: &Log) -> Racy {
        log.reports.iter().filter_map(|report| self.racy(report)).collect()
    }

    /// The granule that a report is about, and where it raced.
    fn racy(&self, report: &Report) -> Option<(Granule, SiteId)> {
        let access = self.program.sites.access(report.site)?;
        let watched = self.plan.watched(access.global)?;
        let own = watched.space == Space::Workgroup;
        let granule = Granule {
            memory: MemoryId(access.global.index() as u32),
            workgroup: if own { report.workgroup } else { 0 },
            index: report.granule,
        };
        Some((granule, report.site))
    }

    /// Adds the racy granules that the shadow in the buffers shows: not those of slots that many workgroups
    /// had one after another.
    fn add_unlogged(&self, buffers: &[Vec<u32>], racy: &mut Racy) {
        let state = (1 << STATE_BITS) - 1;
        for stretch in self.layout.stretches.iter().filter(|stretch| !stretch.shared) {
            let memory = MemoryId(stretch.global.index() as u32);
            let granules = (0..stretch.instances)
                .flat_map(|workgroup| (0..stretch.granules).map(move |index| (workgroup, index)));
            for ((workgroup, index), granule) in granules.zip(0..) {
                let (buffer, word) = self.layout.word(stretch, granule);
                let word = buffers.get(buffer).and_then(|words| words.get(word)).copied();
                let racy_word = |word: &u32| word & state == fsm_spec::State::Race.id() as u32;
                if let Some(word) = word.filter(racy_word) {
                    let site = SiteId(word >> STATE_BITS);
                    racy.entry(Granule { memory, workgroup, index }).or_insert(site);
                }
            }
        }
    }
}
