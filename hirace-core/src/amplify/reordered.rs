//! Finds two accesses whose order differs between two runs of a dispatch.
//!
//! Consider pairs of accesses to the same word, of which at least one may change it. Runs in which all such pairs have
//! the same order leave the same memory. If two runs leave different memory, at least one pair was therefore reordered.
//! There may be many such pairs. The first one in the following list is chosen, because the difference most
//! likely depends on it: plain accesses to the word that differs, then reads by the invocation that wrote this word,
//! then atomic accesses to the word (many of which commute), then atomic accesses by that invocation, then any other
//! pair.

use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::Granule;
use crate::observe::trace::{Event, Trace};
use crate::vm::run::Invocation;
use rustc_hash::FxHashMap;

/// Two accesses in the order of the reference. In the other run, their order is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub first: Event,
    pub second: Event,
}

/// The identity of an event in all runs: the n-th time that an invocation performs an action on a word at a site. The last
/// field is n.
type EventKey = (Invocation, SiteId, Action, Granule, u32);

/// Returns the events of a log, each with its key.
fn times(trace: &Trace) -> impl Iterator<Item = (EventKey, &Event)> {
    let mut counts: FxHashMap<(Invocation, SiteId, Action, Granule), u32> = FxHashMap::default();
    trace.events.iter().map(move |event| {
        let Event { invocation, site, action, granule, .. } = *event;
        let count = counts.entry((invocation, site, action, granule)).or_default();
        *count += 1;
        ((invocation, site, action, granule, *count), event)
    })
}

/// The state of a word while the other run is traversed: the access so far that is last in the reference.
#[derive(Default)]
struct Latest {
    of_all: Option<(usize, Event)>,
    of_changes: Option<(usize, Event)>,
}

/// Returns the reordered pair that the value of `granule` most likely depends on; without `granule`, the first pair.
pub(super) fn find_reordered_pair(
    reference: &Trace,
    other: &Trace,
    granule: Option<Granule>,
) -> Option<Pair> {
    let places: FxHashMap<EventKey, usize> =
        times(reference).enumerate().map(|(place, (time, _))| (time, place)).collect();
    let last = |trace: &Trace| {
        let mut events = trace.events.iter().rev();
        events.find(|e| Some(e.granule) == granule && changes(e)).map(|event| event.invocation)
    };
    let writers = [last(reference), last(other)];
    let mut latest: FxHashMap<Granule, Latest> = FxHashMap::default();
    let mut found: [Option<Pair>; 5] = [None; 5];
    for (time, event) in times(other) {
        let Some(&place) = places.get(&time) else { continue };
        let known = latest.entry(event.granule).or_default();
        let before = if changes(event) { known.of_all } else { known.of_changes };
        if let Some((later, earlier)) = before
            && later > place
            && earlier.invocation != event.invocation
        {
            let pair = Pair { first: *event, second: earlier };
            let is_of_writer = |event: &Event, action: Action| {
                event.action == action && writers.contains(&Some(event.invocation))
            };
            let either = |action| is_of_writer(event, action) || is_of_writer(&earlier, action);
            let is_on_it = Some(event.granule) == granule;
            let are_atomic = event.action.is_atomic() && earlier.action.is_atomic();
            let nearness = match () {
                () if is_on_it && !are_atomic => 0,
                () if either(Action::Read) => 1,
                () if is_on_it => 2,
                () if either(Action::Atomic) => 3,
                () => 4,
            };
            found[nearness].get_or_insert(pair);
        }
        let is_later =
            |known: &Option<(usize, Event)>| known.is_none_or(|(later, _)| place > later);
        if is_later(&known.of_all) {
            known.of_all = Some((place, *event));
        }
        if changes(event) && is_later(&known.of_changes) {
            known.of_changes = Some((place, *event));
        }
    }
    found.into_iter().flatten().next()
}

/// Returns whether an access may change the word.
pub(super) fn changes(event: &Event) -> bool {
    event.action != Action::Read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::trace::WrittenBits;
    use crate::vm::observer::MemoryId;

    fn event(workgroup: u32, site: u32, action: Action, word: u32) -> Event {
        Event {
            granule: Granule { memory: MemoryId(0), workgroup: 0, index: word },
            invocation: Invocation { workgroup, local: 0 },
            subgroup: 0,
            site: SiteId(site),
            action,
            epoch: 0,
            subgroup_epoch: 0,
            barriers: 0,
            last_barrier: None,
            written: WrittenBits::Unknown,
        }
    }

    fn trace(events: &[Event]) -> Trace {
        Trace { events: events.to_vec(), dropped: 0 }
    }

    fn word(index: u32) -> Option<Granule> {
        Some(Granule { memory: MemoryId(0), workgroup: 0, index })
    }

    #[test]
    fn two_writes_in_another_order_are_found() {
        let (a, b) = (event(0, 1, Action::Write, 0), event(1, 1, Action::Write, 0));
        let found = find_reordered_pair(&trace(&[a, b]), &trace(&[b, a]), word(0));
        assert_eq!(found, Some(Pair { first: a, second: b }));
        assert_eq!(find_reordered_pair(&trace(&[a, b]), &trace(&[a, b]), word(0)), None);
    }

    #[test]
    fn two_reads_decide_nothing_and_neither_does_one_invocation() {
        let (a, b) = (event(0, 1, Action::Read, 0), event(1, 1, Action::Read, 0));
        assert_eq!(find_reordered_pair(&trace(&[a, b]), &trace(&[b, a]), word(0)), None);
        let (a, b) = (event(0, 1, Action::Write, 0), event(0, 2, Action::Write, 0));
        assert_eq!(find_reordered_pair(&trace(&[a, b]), &trace(&[b, a]), word(0)), None);
    }

    #[test]
    fn reordered_pair_that_the_word_depends_on_is_preferred() {
        // Both invocations add to word 9. One reads word 5, which the other writes, and then writes word 0.
        let count = |group| event(group, 1, Action::Atomic, 9);
        let (read, write) = (event(0, 2, Action::Read, 5), event(1, 3, Action::Write, 5));
        let out = event(0, 4, Action::Write, 0);
        let one = trace(&[count(0), count(1), read, write, out]);
        let other = trace(&[count(1), count(0), write, read, out]);
        let found = find_reordered_pair(&one, &other, word(0));
        assert_eq!(found, Some(Pair { first: read, second: write }));
        // For a word that no invocation wrote, the first pair is chosen.
        let found = find_reordered_pair(&one, &other, word(7));
        assert_eq!(found, Some(Pair { first: count(0), second: count(1) }));
    }

    #[test]
    fn sums_that_commute_are_looked_at_after_what_was_added() {
        // Both invocations add to word 0. One of them reads word 5 before, which the other one writes.
        let add = |group| event(group, 1, Action::Atomic, 0);
        let (read, write) = (event(1, 2, Action::Read, 5), event(0, 3, Action::Write, 5));
        let one = trace(&[write, read, add(0), add(1)]);
        let other = trace(&[read, write, add(1), add(0)]);
        let found = find_reordered_pair(&one, &other, word(0));
        assert_eq!(found, Some(Pair { first: write, second: read }));
        let other = trace(&[write, read, add(1), add(0)]);
        let found = find_reordered_pair(&one, &other, word(0));
        assert_eq!(found, Some(Pair { first: add(0), second: add(1) }));
    }

    #[test]
    fn repetitions_of_an_event_are_distinguished() {
        let (a, b) = (event(0, 1, Action::Atomic, 0), event(1, 1, Action::Atomic, 0));
        // The second time of `a` comes before `b` in the other run.
        let found = find_reordered_pair(&trace(&[a, b, a]), &trace(&[a, a, b]), word(0));
        assert_eq!(found, Some(Pair { first: b, second: a }));
    }
}
