//! One access to one granule, with all that happens-before looks at.

use super::Granule;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

/// What a place in the program does: one end of a racing pair.
pub type SiteAction = (SiteId, Action);

/// One logged access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The granule touched.
    pub granule: Granule,
    /// Who.
    pub invocation: Invocation,
    /// The subgroup it runs in, by its index in the workgroup.
    pub subgroup: u32,
    /// Where in the program.
    pub site: SiteId,
    /// How.
    pub action: Action,
    /// Barriers of the memory's class that the workgroup had passed.
    pub epoch: u32,
    /// Subgroup barriers that the subgroup had passed.
    pub subgroup_epoch: u32,
    /// Workgroup barriers of any class that the workgroup had passed. Two events of one epoch that
    /// differ here have a barrier between them that does not order this memory.
    pub barriers: u32,
    /// The last of those, if there was one.
    pub last_barrier: Option<SiteId>,
}

impl Event {
    /// What the program does where.
    pub fn site_action(&self) -> SiteAction {
        (self.site, self.action)
    }
}
