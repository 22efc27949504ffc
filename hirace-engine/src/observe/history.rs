//! Happens-before on accesses, by its definition, and an index that finds what an access races with.
//!
//! Nothing here knows the automaton: this is what that is judged by.

use super::event::{Event, SiteAction};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use naga::FastIndexMap;
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
/// What was done at a place races with a later access in one of three ways, and of each the last is kept:
/// by another workgroup, which nothing orders; by another subgroup of the workgroup, since the
/// workgroup's last barrier; and by another invocation of the subgroup, since the last barrier of either.
#[derive(Debug, Default)]
pub(super) struct History {
    /// What workgroups did.
    workgroups: ByPlace<Latest>,
    /// By workgroup: what it did in its current epoch.
    current: FxHashMap<u32, Epoch>,
    recorded: u64,
}

/// An access and when it came: its number among those of the granule.
type Numbered = (u64, Event);

/// What one workgroup did since its last barrier.
#[derive(Debug, Default)]
struct Epoch {
    number: u32,
    places: ByPlace<Here>,
}

/// What one workgroup did at a place since its last barrier.
#[derive(Debug, Default)]
struct Here {
    subgroups: Latest,
    /// By subgroup: the number of its current epoch, and what its invocations did in that.
    current: FxHashMap<u32, (u32, Latest)>,
}

impl History {
    /// Whether no access is kept.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.recorded == 0
    }

    /// At how many places something was done that this may race with.
    pub fn places(&self, action: Action) -> usize {
        self.workgroups.groups(action, true).map(FastIndexMap::len).sum()
    }

    /// For each place that `access` races with: the last `wanted` access there that it races with, in its own
    /// workgroup and in another.
    pub fn racing<'a>(
        &'a self,
        access: &'a Event,
        wanted: impl Fn(&Event) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = &'a Numbered> {
        let workgroup = access.invocation.workgroup;
        let current = self.current.get(&workgroup).filter(|epoch| epoch.number == access.epoch);
        let here = current.into_iter().flat_map(move |epoch| {
            let places = epoch.places.conflicting(access.action, false);
            places.filter_map(move |here| here.last_racing(access, wanted))
        });
        // If this is the only workgroup so far, no place has what another did.
        let is_alone = self.current.len() == 1 && self.current.contains_key(&workgroup);
        let elsewhere = (!is_alone).then(|| self.workgroups.conflicting(access.action, true));
        let elsewhere = elsewhere.into_iter().flatten();
        here.chain(
            elsewhere.filter_map(move |w| w.by_another(workgroup).filter(|(_, e)| wanted(e))),
        )
    }

    /// Adds an access.
    pub fn record(&mut self, access: Event) {
        let place = access.site_action();
        let workgroup = access.invocation.workgroup;
        let numbered = (self.recorded, access);
        self.recorded += 1;
        self.workgroups.at(place).record(workgroup, numbered);
        let current = self.current.entry(workgroup).or_default();
        if current.number != access.epoch {
            *current = Epoch { number: access.epoch, places: ByPlace::default() };
        }
        current.places.at(place).record(numbered);
    }
}

impl Here {
    fn last_racing(&self, access: &Event, wanted: impl Fn(&Event) -> bool) -> Option<&Numbered> {
        let own = self.current.get(&access.subgroup);
        let own = own.filter(|(epoch, _)| *epoch == access.subgroup_epoch);
        let own = own.and_then(|(_, invocations)| invocations.by_another(access.invocation.local));
        let others = self.subgroups.by_another(access.subgroup);
        let both = own.into_iter().chain(others).filter(|(_, earlier)| wanted(earlier));
        both.max_by_key(|(number, _)| *number)
    }

    fn record(&mut self, access: Numbered) {
        let Event { subgroup, subgroup_epoch, invocation, .. } = access.1;
        self.subgroups.record(subgroup, access);
        let current = self.current.entry(subgroup).or_default();
        if current.0 != subgroup_epoch {
            *current = (subgroup_epoch, Latest::default());
        }
        current.1.record(invocation.local, access);
    }
}

/// The last of some accesses and who did it, and the last that was done by someone else. Who that is is a number.
#[derive(Debug, Default)]
struct Latest {
    last: Option<(u32, Numbered)>,
    by_another: Option<(u32, Numbered)>,
}

impl Latest {
    fn record(&mut self, who: u32, access: Numbered) {
        if self.last.is_some_and(|(last, _)| last != who) {
            self.by_another = self.last;
        }
        self.last = Some((who, access));
    }

    /// The last that was not done by `who`.
    fn by_another(&self, who: u32) -> Option<&Numbered> {
        let both = [&self.last, &self.by_another].into_iter().flatten();
        both.filter(|(by, _)| *by != who).map(|(_, access)| access).next()
    }
}

/// Something for each place, in the order in which they were first seen, those of one action together: what
/// does not conflict with an action costs nothing.
#[derive(Debug)]
struct ByPlace<T> {
    actions: Vec<(Action, FastIndexMap<SiteId, T>)>,
}

impl<T> Default for ByPlace<T> {
    fn default() -> Self {
        Self { actions: Vec::new() }
    }
}

impl<T: Default> ByPlace<T> {
    fn at(&mut self, (site, action): SiteAction) -> &mut T {
        let at = self.actions.iter().position(|(a, _)| *a == action).unwrap_or_else(|| {
            self.actions.push((action, FastIndexMap::default()));
            self.actions.len() - 1
        });
        self.actions[at].1.entry(site).or_default()
    }

    /// What is at the places whose action conflicts with this one, of two workgroups or within one.
    fn conflicting(&self, action: Action, across: bool) -> impl Iterator<Item = &T> {
        self.groups(action, across).flat_map(FastIndexMap::values)
    }

    fn groups(
        &self,
        action: Action,
        across: bool,
    ) -> impl Iterator<Item = &FastIndexMap<SiteId, T>> {
        let actions = self.actions.iter().filter(move |(a, _)| conflict(*a, action, across));
        actions.map(|(_, places)| places)
    }
}
