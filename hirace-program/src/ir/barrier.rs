//! Control barriers: which invocations wait for each other, and which memory is ordered among them.

use naga::Barrier as Flags;

/// The kinds of memory that a barrier can order.
pub const MEMORY: Flags = Flags::STORAGE.union(Flags::WORK_GROUP).union(Flags::TEXTURE);

/// A control barrier. WGSL's barriers follow from naga's flags; other languages have barriers that the flags cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The invocations that wait for each other.
    pub scope: BarrierScope,
    /// The memory that is ordered among the invocations of a workgroup.
    pub in_workgroup: Flags,
    /// The memory that is ordered among the invocations of each subgroup.
    pub in_subgroup: Flags,
}

/// The invocations that wait for each other at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierScope {
    /// All invocations of the workgroup.
    Workgroup,
    /// The invocations of each subgroup, independently of other subgroups.
    Subgroup,
}

impl Barrier {
    /// Returns whether the barrier synchronizes each subgroup independently.
    pub fn is_subgroup_barrier(self) -> bool {
        self.scope == BarrierScope::Subgroup
    }
}

/// Follows WGSL: `subgroupBarrier()` orders all memory among the invocations of a subgroup.
impl From<Flags> for Barrier {
    fn from(flags: Flags) -> Self {
        let in_subgroup = if flags.contains(Flags::SUB_GROUP) { MEMORY } else { Flags::empty() };
        let gathers = match flags == Flags::SUB_GROUP {
            true => BarrierScope::Subgroup,
            false => BarrierScope::Workgroup,
        };
        Self { scope: gathers, in_workgroup: flags & MEMORY, in_subgroup }
    }
}
