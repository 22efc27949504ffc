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
    /// What it wrote there.
    pub wrote: Wrote,
}

/// What is known of the bytes that an access wrote to a granule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrote {
    /// Nothing: it wrote none of them, or not all, or nobody looked.
    #[default]
    Unknown,
    /// These, each time.
    Bits(u32),
    /// Others each time it was done.
    Several,
}

impl Wrote {
    /// What is known when the access was done once more.
    pub fn joined(self, more: Self) -> Self {
        match (self, more) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (a, b) if a == b => a,
            _ => Self::Several,
        }
    }
}

impl Event {
    /// What the program does where.
    pub fn site_action(&self) -> SiteAction {
        (self.site, self.action)
    }
}
