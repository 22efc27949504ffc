//! What a control barrier does: whom it gathers, and which memory it orders among them.

use naga::Barrier as Flags;

/// The kinds of memory that a barrier may order.
pub const MEMORY: Flags = Flags::STORAGE.union(Flags::WORK_GROUP).union(Flags::TEXTURE);

/// A control barrier. WGSL's follow from naga's flags; other languages have some that these cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// Whom it gathers.
    pub gathers: Gathers,
    /// The memory that it orders among the invocations of a workgroup.
    pub in_workgroup: Flags,
    /// The memory that it orders among the invocations of each subgroup.
    pub in_subgroup: Flags,
}

/// Whom a barrier gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathers {
    /// The workgroup.
    Workgroup,
    /// Each subgroup by itself.
    Subgroup,
}

impl Barrier {
    /// Whether it gathers each subgroup by itself.
    pub fn is_of_subgroups(self) -> bool {
        self.gathers == Gathers::Subgroup
    }
}

/// As in WGSL: `subgroupBarrier()` orders all memory among the invocations of a subgroup.
impl From<Flags> for Barrier {
    fn from(flags: Flags) -> Self {
        let in_subgroup = if flags.contains(Flags::SUB_GROUP) { MEMORY } else { Flags::empty() };
        let gathers = match flags == Flags::SUB_GROUP {
            true => Gathers::Subgroup,
            false => Gathers::Workgroup,
        };
        Self { gathers, in_workgroup: flags & MEMORY, in_subgroup }
    }
}
