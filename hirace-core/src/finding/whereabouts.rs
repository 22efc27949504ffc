//! Locations of invocations that are not at the barrier at which others wait.

use crate::facts::place::span_of;
use crate::facts::{Elsewhere, Place};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::run::Whereabouts;
use std::collections::BTreeMap;

/// Adjusts a location that the engine reports to the source: the end of the entry point does not count as a `return`.
pub(crate) fn in_source(program: &Program, at: Whereabouts) -> Whereabouts {
    match at {
        Whereabouts::Returned(Some(site)) if span_of(program.sites.get(site)).is_empty() => {
            Whereabouts::Returned(None)
        }
        other => other,
    }
}

/// Returns the location as a fact.
pub(crate) fn elsewhere(program: &Program, at: Whereabouts) -> Elsewhere {
    match at {
        Whereabouts::AtBarrier(site) => Elsewhere::Barrier(Place::of(program, site)),
        Whereabouts::Running(site) => Elsewhere::Running(Place::of(program, site)),
        Whereabouts::Returned(Some(site)) => Elsewhere::Returned(Place::of(program, site)),
        Whereabouts::Returned(None) => Elsewhere::AtEnd,
    }
}

/// Groups invocations by location; the local indices in each group are ascending.
pub(crate) fn by_whereabouts(
    of: impl Iterator<Item = (u32, Whereabouts)>,
) -> Vec<(Whereabouts, Vec<u32>)> {
    let mut groups: BTreeMap<(u8, Option<SiteId>), (Whereabouts, Vec<u32>)> = BTreeMap::new();
    for (local, at) in of {
        groups.entry(order(at)).or_insert((at, Vec::new())).1.push(local);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.iter_mut().for_each(|(_, locals)| locals.sort_unstable());
    groups
}

/// Returns the sort key of a location: barriers first, then running, then returned invocations.
pub(crate) fn order(at: Whereabouts) -> (u8, Option<SiteId>) {
    match at {
        Whereabouts::AtBarrier(site) => (0, Some(site)),
        Whereabouts::Running(site) => (1, Some(site)),
        Whereabouts::Returned(site) => (2, site),
    }
}
