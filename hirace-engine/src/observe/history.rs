//! Happens-before on accesses, by its definition, and an index that finds what an access races with.
//!
//! Nothing here knows the automaton: this is what that is judged by.

use super::event::{Event, SiteAction};
use crate::ir::access::Action;
use rustc_hash::FxHashMap;

/// Whether two accesses to one granule race: by different invocations, at least one of them a write,
/// not both atomic, and no barrier between them that orders them.
///
/// Atomics on workgroup memory have the scope of the workgroup, and no other workgroup can touch that
/// memory; all others have the scope of the device, but for those that say otherwise. So two atomics race
/// only if one of those meets another workgroup's.
pub fn race(a: &Event, b: &Event) -> bool {
    a.granule == b.granule && conflict(a.action, b.action, across(a, b)) && !ordered(a, b)
}

/// Whether two unordered accesses, by two workgroups or by one, conflict.
fn conflict(a: Action, b: Action, across: bool) -> bool {
    match (a, b) {
        (Action::Read, Action::Read) => false,
        (a, b) if a.is_atomic() && b.is_atomic() => {
            across && [a, b].contains(&Action::AtomicInWorkgroup)
        }
        _ => true,
    }
}

fn across(a: &Event, b: &Event) -> bool {
    a.invocation.workgroup != b.invocation.workgroup
}

fn ordered(a: &Event, b: &Event) -> bool {
    if a.invocation.workgroup != b.invocation.workgroup {
        false
    } else if a.invocation == b.invocation || a.epoch != b.epoch {
        true
    } else {
        a.subgroup == b.subgroup && a.subgroup_epoch != b.subgroup_epoch
    }
}

/// Two places whose accesses race with one another, the lesser first.
pub type SiteActionPair = (SiteAction, SiteAction);

/// The pair of two places, whichever is which.
pub fn site_action_pair(a: SiteAction, b: SiteAction) -> SiteActionPair {
    (a.min(b), a.max(b))
}

/// All accesses to one granule, in their order, as far as later ones can race with them.
///
/// Of the accesses at one place this keeps the last of each invocation in the current epoch of
/// each workgroup, because a barrier orders all earlier ones with all that the workgroup does later
/// (and an invocation's last access races with all that its earlier ones of the epoch race with). For
/// other workgroups, which nothing orders, the last access of another workgroup is enough.
#[derive(Debug, Default)]
pub(super) struct History {
    places: Vec<(SiteAction, Accesses)>,
    recorded: u64,
}

/// An access and when it came: its number among those of the granule.
type Numbered = (u64, Event);

#[derive(Debug, Default)]
struct Accesses {
    /// The last one.
    last: Option<Numbered>,
    /// The last one by another workgroup than `last`.
    last_elsewhere: Option<Numbered>,
    /// By workgroup: those of its current epoch, one an invocation, in the order they came.
    current: FxHashMap<u32, Vec<Numbered>>,
}

impl History {
    /// Whether no access is kept.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// For each place that `access` races with: the last access there that it races with, in its own
    /// workgroup and in another.
    pub fn racing<'a>(&'a self, access: &'a Event) -> impl Iterator<Item = &'a Numbered> {
        let may = |action: Action| conflict(action, access.action, true);
        let places = self.places.iter().filter(move |((_, action), _)| may(*action));
        let all = places.flat_map(|(_, accesses)| accesses.last_racing(access));
        all.filter(|(_, earlier)| conflict(earlier.action, access.action, across(earlier, access)))
    }

    /// Adds an access.
    pub fn record(&mut self, access: Event) {
        let place = access.site_action();
        let at = self.places.iter().position(|(p, _)| *p == place).unwrap_or_else(|| {
            self.places.push((place, Accesses::default()));
            self.places.len() - 1
        });
        self.places[at].1.record((self.recorded, access));
        self.recorded += 1;
    }
}

impl Accesses {
    fn last_racing(&self, access: &Event) -> impl Iterator<Item = &Numbered> + use<'_> {
        let workgroup = access.invocation.workgroup;
        let here = self.current.get(&workgroup).and_then(|current| {
            current.iter().rev().find(|(_, earlier)| !ordered(earlier, access))
        });
        let elsewhere = [&self.last, &self.last_elsewhere].into_iter().flatten();
        let elsewhere = elsewhere.filter(|(_, earlier)| earlier.invocation.workgroup != workgroup);
        here.into_iter().chain(elsewhere.max_by_key(|(number, _)| *number))
    }

    fn record(&mut self, access: Numbered) {
        let invocation = access.1.invocation;
        let elsewhere = |last: &Numbered| last.1.invocation.workgroup != invocation.workgroup;
        if self.last.as_ref().is_some_and(elsewhere) {
            self.last_elsewhere = self.last;
        }
        self.last = Some(access);
        let current = self.current.entry(invocation.workgroup).or_default();
        current.retain(|(_, e)| e.epoch == access.1.epoch && e.invocation != invocation);
        current.push(access);
    }
}
