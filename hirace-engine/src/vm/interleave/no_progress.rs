//! Builds the finding of a run that makes no progress, with the units that wait.

use super::Unit;
use super::execution::Execution;
use crate::ir::sites::SiteId;
use crate::vm::run::{Invocation, InvocationStatus, NoProgress};

/// Maximum number of waiting invocations that are named.
const EXAMPLES: usize = 16;

impl Execution<'_, '_> {
    /// Returns the finding for a run in which all unfinished units wait for memory to change or for one
    /// another.
    pub(super) fn deadlock(&self) -> Option<NoProgress> {
        // The units that wait for memory keep the others waiting.
        let first = self.asleep().or_else(|| self.unfinished_units().next())?;
        let site = match self.invocation_status(first) {
            InvocationStatus::AtBarrier(site) | InvocationStatus::Running(site) => site,
            InvocationStatus::Returned(site) => site.unwrap_or(SiteId::NONE),
        };
        Some(self.no_progress(first, site, true))
    }

    /// Returns the finding for a unit that exceeded its instruction limit in this loop.
    pub(super) fn too_long(&self, unit: Unit, site: SiteId) -> NoProgress {
        self.no_progress(unit, site, false)
    }

    fn no_progress(&self, unit: Unit, site: SiteId, proven: bool) -> NoProgress {
        let others = || self.unfinished_units().filter(|other| *other != unit);
        let waiting = others().map(|other| (self.invocation(other), self.invocation_status(other)));
        let (group, local) = self.place(unit);
        NoProgress {
            stuck: (self.invocation(unit), site),
            waiting: waiting.take(EXAMPLES).collect(),
            unfinished: others().count() as u64 + 1,
            steps: self.group(group).has_run(local),
            proven,
        }
    }

    fn invocation(&self, unit: Unit) -> Invocation {
        let (workgroup, local) = self.place(unit);
        Invocation { workgroup: workgroup as u32, local }
    }
}
