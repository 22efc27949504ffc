//! Happens-before on accesses by its definition, and an index that finds the accesses that an access races
//! with.
//!
//! This module does not use the automaton: it is the reference for it.

use super::event::{Event, SiteAction};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use naga::FastIndexMap;
use rustc_hash::FxHashMap;

/// Returns whether two accesses to one granule race: they are made by different invocations, at least one is
/// a write, they are not both atomic, and no barrier orders them.
///
/// Atomic operations on workgroup memory have workgroup scope, and no other workgroup can access that memory.
/// All others have device scope unless they state otherwise. So two atomic operations race only if one of
/// workgroup scope meets another workgroup's.
pub fn race(a: &Event, b: &Event) -> bool {
    a.granule == b.granule && conflict(a.action, b.action, across(a, b)) && !ordered(a, b)
}

/// Returns whether two unordered accesses, by two workgroups or by one, conflict.
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

/// Two sites whose accesses race with each other, the lesser first.
pub type SiteActionPair = (SiteAction, SiteAction);

/// Returns the pair of two sites, in either order.
pub fn site_action_pair(a: SiteAction, b: SiteAction) -> SiteActionPair {
    (a.min(b), a.max(b))
}

/// All accesses to one granule, in order, as far as later accesses can race with them.
///
/// A later access can race with an access at a site in three cases, and for each of them the last access is
/// kept: by another workgroup, which nothing orders; by another subgroup of the workgroup, since the
/// workgroup's last barrier; and by another invocation of the subgroup, since the last barrier of either.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The accesses of all workgroups.
    workgroups: ByPlace<Latest>,
    /// For each workgroup, the accesses in its current epoch.
    current: FxHashMap<u32, Epoch>,
    recorded: u64,
}

/// An access with its number among those of the granule.
type NumberedEvent = (u64, Event);

/// The accesses of one workgroup since its last barrier.
#[derive(Debug, Default)]
struct Epoch {
    number: u32,
    places: ByPlace<SiteEpoch>,
}

/// The accesses of one workgroup at a site since its last barrier.
#[derive(Debug, Default)]
struct SiteEpoch {
    subgroups: Latest,
    /// For each subgroup, the number of its current epoch and the accesses of its invocations in it.
    current: FxHashMap<u32, (u32, Latest)>,
}

impl History {
    /// Returns whether no access is kept.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.recorded == 0
    }

    /// Returns the number of sites with accesses that this action may race with.
    pub fn places(&self, action: Action) -> usize {
        self.workgroups.groups(action, true).map(FastIndexMap::len).sum()
    }

    /// Returns, for each site that `access` races with, the last `wanted` access there that it races with, in
    /// its own workgroup and in another one.
    pub fn racing<'a>(
        &'a self,
        access: &'a Event,
        wanted: impl Fn(&Event) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = &'a NumberedEvent> {
        let workgroup = access.invocation.workgroup;
        let current = self.current.get(&workgroup).filter(|epoch| epoch.number == access.epoch);
        let here = current.into_iter().flat_map(move |epoch| {
            let places = epoch.places.conflicting(access.action, false);
            places.filter_map(move |here| here.last_racing(access, wanted))
        });
        // If this is the only workgroup so far, no site has accesses of another workgroup.
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

impl SiteEpoch {
    fn last_racing(
        &self,
        access: &Event,
        wanted: impl Fn(&Event) -> bool,
    ) -> Option<&NumberedEvent> {
        let own = self.current.get(&access.subgroup);
        let own = own.filter(|(epoch, _)| *epoch == access.subgroup_epoch);
        let own = own.and_then(|(_, invocations)| invocations.by_another(access.invocation.local));
        let others = self.subgroups.by_another(access.subgroup);
        let both = own.into_iter().chain(others).filter(|(_, earlier)| wanted(earlier));
        both.max_by_key(|(number, _)| *number)
    }

    fn record(&mut self, access: NumberedEvent) {
        let Event { subgroup, subgroup_epoch, invocation, .. } = access.1;
        self.subgroups.record(subgroup, access);
        let current = self.current.entry(subgroup).or_default();
        if current.0 != subgroup_epoch {
            *current = (subgroup_epoch, Latest::default());
        }
        current.1.record(invocation.local, access);
    }
}

/// The last access and its author, and the last access by another author. Authors are identified by numbers.
#[derive(Debug, Default)]
struct Latest {
    last: Option<(u32, NumberedEvent)>,
    by_another: Option<(u32, NumberedEvent)>,
}

impl Latest {
    fn record(&mut self, who: u32, access: NumberedEvent) {
        if self.last.is_some_and(|(last, _)| last != who) {
            self.by_another = self.last;
        }
        self.last = Some((who, access));
    }

    /// Returns the last access that was not made by `who`.
    fn by_another(&self, who: u32) -> Option<&NumberedEvent> {
        let both = [&self.last, &self.by_another].into_iter().flatten();
        both.filter(|(by, _)| *by != who).map(|(_, access)| access).next()
    }
}

/// A value for each site, in the order in which the sites were first seen, grouped by action: sites that do
/// not conflict with an action cost nothing.
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

    /// Returns the values at the sites whose action conflicts with this one, for two workgroups or within
    /// one.
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
