//! Converts barriers of a program to facts.

use super::element;
use crate::facts::{Barrier, BarrierClass, Place};
use crate::ir::sites::{SiteId, SiteKind};
use crate::program::Program;
use crate::vm::observer::MemoryId;

/// Returns the class of barriers that order a memory.
pub(crate) fn class_of(program: &Program, memory: MemoryId) -> BarrierClass {
    let space = element::variable(program, memory).map(|(_, global)| element::space(global));
    space.map_or(BarrierClass::Storage, |space| space.class())
}

/// Returns the barrier at `site`.
pub(crate) fn barrier(program: &Program, site: SiteId) -> Barrier {
    let class = match program.sites.get(site).map(|site| &site.kind) {
        Some(SiteKind::Barrier(barrier)) => {
            let classes = [BarrierClass::Workgroup, BarrierClass::Storage, BarrierClass::Texture];
            let ordered = |class: &BarrierClass| barrier.in_workgroup.contains(class.flag());
            Some(classes.into_iter().find(ordered).unwrap_or(BarrierClass::Subgroup))
        }
        _ => None,
    };
    Barrier { site, place: Place::of(program, site), class }
}

/// Returns whether the barrier at `site` orders memory of `class`.
pub(crate) fn orders(program: &Program, site: SiteId, class: BarrierClass) -> bool {
    let barrier = program.sites.barrier_at(site);
    barrier.is_some_and(|barrier| barrier.in_workgroup.contains(class.flag()))
}
