//! One access to one granule, with everything that happens-before depends on.

use super::Granule;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

/// What a site does: one end of a racing pair.
pub type SiteAction = (SiteId, Action);

/// One logged access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The accessed granule.
    pub granule: Granule,
    /// The invocation that made the access.
    pub invocation: Invocation,
    /// The index of the invocation's subgroup in its workgroup.
    pub subgroup: u32,
    /// The access site.
    pub site: SiteId,
    /// The operation.
    pub action: Action,
    /// Number of barriers of the memory's class that the workgroup had passed.
    pub epoch: u32,
    /// Number of subgroup barriers that the subgroup had passed.
    pub subgroup_epoch: u32,
    /// Number of workgroup barriers of any class that the workgroup had passed. If it differs in two events
    /// of one epoch, a barrier that does not order this memory is between them.
    pub barriers: u32,
    /// The site of the last of these, if there was one.
    pub last_barrier: Option<SiteId>,
    /// What the access wrote to the granule.
    pub written: WrittenBits,
}

/// What is known of the bits that an access wrote to a granule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrittenBits {
    /// Nothing: the access wrote only some or none of them, or its values were not shown.
    #[default]
    Unknown,
    /// The same bits each time.
    Bits(u32),
    /// Different bits each time.
    DifferentBits,
}

impl WrittenBits {
    /// Returns what is known after the access was repeated.
    pub fn merge(self, more: Self) -> Self {
        match (self, more) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (a, b) if a == b => a,
            _ => Self::DifferentBits,
        }
    }
}

impl Event {
    /// Returns the site and the operation.
    pub fn site_action(&self) -> SiteAction {
        (self.site, self.action)
    }
}
