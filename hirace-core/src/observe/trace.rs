//! Phase 2: a log of every access to a few granules, and the pairs of it that happens-before does
//! not order.

use super::Granule;
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::vm::run::Invocation;

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

/// The log of a dispatch, in the order of execution for each granule.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The log.
    pub events: Vec<Event>,
    /// Events that did not fit.
    pub dropped: u64,
}

/// Two accesses to one granule that race, in the order they were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The one that ran first.
    pub earlier: Event,
    /// The one that ran second.
    pub later: Event,
}
