//! Locations of invocations that are not at the barrier at which others wait.

use crate::facts::place::span_of;
use crate::facts::{InvocationLocation, Place};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::run::InvocationStatus;
use std::collections::BTreeMap;

/// Adjusts a location that the engine reports to the source: the end of the entry point does not count as a `return`.
pub(crate) fn in_source(program: &Program, at: InvocationStatus) -> InvocationStatus {
    match at {
        InvocationStatus::Returned(Some(site)) if span_of(program.sites.get(site)).is_empty() => {
            InvocationStatus::Returned(None)
        }
        other => other,
    }
}

/// Returns the location as a fact.
pub(crate) fn to_location(program: &Program, at: InvocationStatus) -> InvocationLocation {
    match at {
        InvocationStatus::AtBarrier(site) => InvocationLocation::Barrier(Place::of(program, site)),
        InvocationStatus::Running(site) => InvocationLocation::Running(Place::of(program, site)),
        InvocationStatus::Returned(Some(site)) => {
            InvocationLocation::Returned(Place::of(program, site))
        }
        InvocationStatus::Returned(None) => InvocationLocation::AtEnd,
    }
}

/// Groups invocations by location; the local indices in each group are ascending.
pub(crate) fn group_by_location(
    of: impl Iterator<Item = (u32, InvocationStatus)>,
) -> Vec<(InvocationStatus, Vec<u32>)> {
    let mut groups: BTreeMap<(u8, Option<SiteId>), (InvocationStatus, Vec<u32>)> = BTreeMap::new();
    for (local, at) in of {
        groups.entry(sort_key(at)).or_insert((at, Vec::new())).1.push(local);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.iter_mut().for_each(|(_, locals)| locals.sort_unstable());
    groups
}

/// Returns the sort key of a location: barriers first, then running, then returned invocations.
pub(crate) fn sort_key(at: InvocationStatus) -> (u8, Option<SiteId>) {
    match at {
        InvocationStatus::AtBarrier(site) => (0, Some(site)),
        InvocationStatus::Running(site) => (1, Some(site)),
        InvocationStatus::Returned(site) => (2, site),
    }
}
