//! Finds which invocation waits for which other one in a dispatch that makes no progress.

use super::locations::Places;
use super::reordered::changes;
use super::results::{AwaitedWrite, NoProgress};
use crate::finding::element;
use crate::launch::Launch;
use crate::observe::trace::{Event, Trace};
use crate::vm::run;

/// Describes a dispatch that made no progress, from the accesses of that run and of the run in the serial order.
pub(super) fn no_progress(
    places: Places<'_>,
    launch: &Launch,
    found: &run::NoProgress,
    log: &Trace,
    reference: &Trace,
) -> NoProgress {
    let (stuck, site) = found.stuck;
    let of_stuck = |event: &&Event| event.invocation == stuck;
    // The last word that it accessed is the one that it polls.
    let last = log.events.iter().rfind(of_stuck);
    let awaited = last.and_then(|last| writer(reference, last)).map(|by| {
        let not_started =
            log.events.iter().all(|event| event.invocation.workgroup != by.invocation.workgroup);
        let element = element::memory(places.program, launch, by.granule).element;
        AwaitedWrite { element, write: places.access(by), workgroup_not_started: not_started }
    });
    NoProgress {
        place: places.place(site),
        invocation: places.invocation_ids(stuck),
        awaits: awaited,
        unfinished: found.unfinished,
    }
}

/// Returns the write that this access waits for: the last one by another invocation before the wait ends in the serial
/// order, or the first one at all.
fn writer<'t>(reference: &'t Trace, waits: &Event) -> Option<&'t Event> {
    let is_same = |event: &Event| {
        (event.invocation, event.site, event.granule)
            == (waits.invocation, waits.site, waits.granule)
    };
    let others = |event: &&Event| {
        event.granule == waits.granule && event.invocation != waits.invocation && changes(event)
    };
    let left = reference.events.iter().rposition(is_same).unwrap_or(reference.events.len());
    let before = reference.events[..left].iter().rfind(others);
    before.or_else(|| reference.events.iter().find(others))
}
