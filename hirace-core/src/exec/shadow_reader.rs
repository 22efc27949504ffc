//! Reads what an instrumented dispatch has stored in its shadow memory, in terms of the program.

use crate::ir::sites::SiteId;
use crate::observe::{Granule, RacyGranules, Shape};
use crate::program::Program;
use crate::shadow::fields::STATE_BITS;
use crate::shadow::layout::Layout;
use crate::shadow::log::{Log, Report, UncheckedMemory};
use crate::shadow::plan::Plan;
use crate::shadow::trail::{self, Trails};
use crate::vm::observer::{MemoryId, Space};

/// Reads the shadow buffers.
#[derive(Clone, Copy, Debug)]
pub struct ShadowReader<'a> {
    /// The program that was instrumented.
    pub program: &'a Program,
    /// What is watched.
    pub plan: &'a Plan,
    /// The layout of the dispatch.
    pub layout: &'a Layout,
}

/// The contents of the shadow memory.
#[derive(Clone, Debug, Default)]
pub struct ShadowContents {
    /// The racy granules.
    pub racy: RacyGranules,
    /// Whether an error occurred for which no details were recorded.
    pub unrecorded_error: bool,
    /// The number of racy granules for which neither the log nor the buffers had room.
    pub dropped: u32,
    /// What was not judged.
    pub stopped: UncheckedMemory,
}

impl ShadowReader<'_> {
    /// Decodes the words of the buffers. Words after the head of the first buffer are read only if there are more races than the
    /// log has room for.
    pub fn parse(&self, buffers: &[Vec<u32>]) -> ShadowContents {
        let head = buffers.first().map_or(&[][..], Vec::as_slice);
        let log = Log::read(head, self.layout.log_entries);
        let mut found = ShadowContents {
            racy: self.logged(&log),
            unrecorded_error: log.has_unrecorded_errors,
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

    /// Returns the trails, or `None` if they are not recorded or there was no room for them.
    pub fn trails(&self, buffers: &[Vec<u32>], shape: Shape) -> Option<Trails> {
        let head = buffers.first().map_or(&[][..], Vec::as_slice);
        let first = self.layout.trails?;
        Some(trail::read(head, first, shape.workgroups, shape.workgroup_size))
    }

    /// Removes from `racy` the granules that are unreliable after these workgroups diverged: those last accessed by one of them,
    /// and those whose last accessor is unknown. The clocks within a diverged workgroup differ, so that races between its own
    /// invocations may be false. Races found by other workgroups are correct.
    pub fn distrust(&self, buffers: &[Vec<u32>], diverged: &[u32], racy: &mut RacyGranules) {
        let head = buffers.first().map_or(&[][..], Vec::as_slice);
        let log = Log::read(head, self.layout.log_entries);
        let sound = log.reports.iter().filter(|r| diverged.binary_search(&r.workgroup).is_err());
        let sound: RacyGranules = sound.filter_map(|report| self.racy(report)).collect();
        racy.retain(|granule, _| sound.contains_key(granule));
    }

    /// Returns the racy granules in the log.
    fn logged(&self, log: &Log) -> RacyGranules {
        log.reports.iter().filter_map(|report| self.racy(report)).collect()
    }

    /// Returns the granule of a report, and the site at which it raced.
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

    /// Adds the racy granules in the shadow buffers, except those in slots that several workgroups used in sequence.
    fn add_unlogged(&self, buffers: &[Vec<u32>], racy: &mut RacyGranules) {
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
