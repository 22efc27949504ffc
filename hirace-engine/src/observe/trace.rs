//! Phase 2: a log of every access to a few granules, and the pairs of it that happens-before does
//! not order.

use super::Granule;
pub use super::event::Event;
use super::history::{History, site_action_pair};
use rustc_hash::{FxHashMap, FxHashSet};

/// The log of a dispatch, in the order of execution for each granule.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The log.
    pub events: Vec<Event>,
    /// Events that did not fit.
    pub dropped: u64,
}

/// Two accesses to one granule that race, in the order they were run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The one that ran first.
    pub earlier: Event,
    /// The one that ran second.
    pub later: Event,
}

/// For each granule that raced, the pair whose later access came first, with the nearest of the
/// accesses before it that it races with.
pub fn pairs(trace: &Trace) -> Vec<Pair> {
    let mut histories: FxHashMap<Granule, History> = FxHashMap::default();
    let mut paired = FxHashSet::default();
    let mut pairs = Vec::new();
    for later in &trace.events {
        if paired.contains(&later.granule) {
            continue;
        }
        let history = histories.entry(later.granule).or_default();
        if let Some((_, earlier)) = history.racing(later).max_by_key(|(number, _)| *number) {
            pairs.push(Pair { earlier: *earlier, later: *later });
            paired.insert(later.granule);
        }
        history.record(*later);
    }
    pairs
}

/// For each granule that raced, a pair for each two places in the program that race on it, within a
/// workgroup and between two: the one whose later access came first, with the nearest before it.
pub fn all_site_pairs(trace: &Trace) -> Vec<Pair> {
    site_pairs_where(trace, |_, _| true)
}

/// As [`all_site_pairs`], of the pairs that `wanted` takes (given the earlier access, then the later).
pub fn site_pairs_where(trace: &Trace, wanted: impl Fn(&Event, &Event) -> bool) -> Vec<Pair> {
    let mut histories: FxHashMap<Granule, History> = FxHashMap::default();
    let mut paired = FxHashSet::default();
    let mut pairs = Vec::new();
    for later in &trace.events {
        let history = histories.entry(later.granule).or_default();
        for (_, earlier) in history.racing(later).filter(|(_, earlier)| wanted(earlier, later)) {
            let across = earlier.invocation.workgroup != later.invocation.workgroup;
            if paired.insert((
                later.granule,
                site_action_pair(earlier.site_action(), later.site_action()),
                across,
            )) {
                pairs.push(Pair { earlier: *earlier, later: *later });
            }
        }
        history.record(*later);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::access::Action;
    use crate::ir::sites::SiteId;
    use crate::vm::observer::MemoryId;
    use crate::vm::run::Invocation;

    #[test]
    fn a_pair_between_workgroups_is_not_hidden_by_a_nearer_one_within() {
        let event = |workgroup, local, action| Event {
            granule: Granule { memory: MemoryId(0), workgroup: 0, index: 0 },
            invocation: Invocation { workgroup, local },
            subgroup: 0,
            site: SiteId(action as u32),
            action,
            epoch: 0,
            subgroup_epoch: 0,
            barriers: 0,
            last_barrier: None,
        };
        let (far, near) = (event(0, 0, Action::Read), event(1, 0, Action::Read));
        let write = event(1, 1, Action::Write);
        let trace = Trace { events: vec![far, near, write], dropped: 0 };
        let found = all_site_pairs(&trace);
        assert_eq!(found.iter().map(|pair| pair.earlier).collect::<Vec<_>>(), [near, far]);
        assert_eq!(pairs(&trace), [Pair { earlier: near, later: write }]);
    }
}
