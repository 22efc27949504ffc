//! What an instrumented dispatch left in its shadow, in terms of the program.

use crate::ir::sites::SiteId;
use crate::observe::{Granule, Racy};
use crate::program::Program;
use crate::shadow::fields::STATE_BITS;
use crate::shadow::layout::Layout;
use crate::shadow::log::{Log, Stopped};
use crate::shadow::plan::Plan;
use crate::vm::observer::{MemoryId, Space};

/// Reads the shadow's buffer.
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
    /// The racy granules. At those for which the log had no room the site is not known.
    pub racy: Racy,
    /// Racy granules for which neither the log nor the buffer has room.
    pub dropped: u32,
    /// Where a clock ran out.
    pub stopped: Stopped,
}

impl Reading<'_> {
    /// What the words of the whole buffer say.
    pub fn of(&self, words: &[u32]) -> Found {
        let log = Log::read(words, self.layout.log_entries);
        let mut found =
            Found { racy: self.logged(&log), dropped: log.dropped, stopped: log.stopped };
        if log.dropped > 0 {
            let before = found.racy.len();
            self.add_unlogged(words, &mut found.racy);
            let added = (found.racy.len() - before) as u32;
            found.dropped = found.dropped.saturating_sub(added);
        }
        found
    }

    /// The racy granules that the log names.
    fn logged(&self, log: &Log) -> Racy {
        let reports = log.reports.iter().filter_map(|report| {
            let access = self.program.sites.access(report.site)?;
            let watched = self.plan.watched(access.global)?;
            let own = watched.space == Space::Workgroup;
            let granule = Granule {
                memory: MemoryId(access.global.index() as u32),
                workgroup: if own { report.workgroup } else { 0 },
                index: report.granule,
            };
            Some((granule, report.site))
        });
        reports.collect()
    }

    /// Adds the racy granules that the shadow in the buffer shows.
    fn add_unlogged(&self, words: &[u32], racy: &mut Racy) {
        let state = (1 << STATE_BITS) - 1;
        for stretch in &self.layout.stretches {
            let memory = MemoryId(stretch.global.index() as u32);
            let shadow = words.iter().skip(stretch.first as usize);
            let granules = (0..stretch.instances)
                .flat_map(|workgroup| (0..stretch.granules).map(move |index| (workgroup, index)));
            for ((workgroup, index), word) in granules.zip(shadow) {
                if word & state == fsm_spec::State::Race.id() as u32 {
                    racy.entry(Granule { memory, workgroup, index }).or_insert(SiteId::NONE);
                }
            }
        }
    }
}
