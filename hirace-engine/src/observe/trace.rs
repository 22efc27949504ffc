//! Phase 2: a log of every access to a few granules, and the pairs of accesses in it that happens-before does
//! not order.

use super::Granule;
pub use super::event::{Event, WrittenBits};
use super::history::{History, SiteActionPair, site_action_pair};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::LazyCell;

/// The log of a dispatch, in execution order for each granule.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The logged events.
    pub events: Vec<Event>,
    /// Number of events that did not fit.
    pub dropped: u64,
}

/// Two accesses to one granule that race, in execution order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The access that ran first.
    pub earlier: Event,
    /// The access that ran second.
    pub later: Event,
}

/// Returns, for each granule that raced, the pair whose later access came first; the earlier access is the
/// last one before it that it races with.
pub fn pairs(trace: &Trace) -> Vec<Pair> {
    let mut histories: FxHashMap<Granule, History> = FxHashMap::default();
    let mut paired = FxHashSet::default();
    let mut pairs = Vec::new();
    for later in &trace.events {
        if paired.contains(&later.granule) {
            continue;
        }
        let history = histories.entry(later.granule).or_default();
        if let Some((_, earlier)) =
            history.racing(later, |_| true).max_by_key(|(number, _)| *number)
        {
            pairs.push(Pair { earlier: *earlier, later: *later });
            paired.insert(later.granule);
        }
        history.record(*later);
    }
    pairs
}

/// Maximum number of pairs of sites that are reported for one granule.
const MAX_PAIRS: usize = 1024;

/// Maximum number of comparisons of an access with the accesses at another site. A granule that exceeds its
/// share is not examined further.
const MAX_COMPARISONS: usize = 1 << 23;

/// The state of a granule during the pass through a trace.
#[derive(Default)]
struct GranuleScan {
    history: History,
    paired: FxHashSet<(SiteActionPair, bool)>,
    looks: usize,
}

/// The racing pairs of a trace, by site.
#[derive(Clone, Debug, Default)]
pub struct SitePairs {
    /// For each granule that raced, one pair for each two sites that race on it, within a workgroup and
    /// between two: the one whose later access came first, with the last access before it that it races with.
    pub pairs: Vec<Pair>,
    /// Number of accesses that were not examined, because their granule had reached the maximum number of
    /// pairs or comparisons.
    pub skipped: u64,
}

/// Returns the racing pairs of `trace`, by the sites that race.
pub fn all_site_pairs(trace: &Trace) -> SitePairs {
    site_pairs_where(trace, |_, _| true)
}

/// Returns the pairs of [`all_site_pairs`] that `wanted` accepts. `wanted` receives the earlier and the later
/// access.
pub fn site_pairs_where(trace: &Trace, wanted: impl Fn(&Event, &Event) -> bool) -> SitePairs {
    // Evaluated lazily, because few traces need it.
    let share = LazyCell::new(|| {
        let granules: FxHashSet<_> = trace.events.iter().map(|event| event.granule).collect();
        MAX_COMPARISONS / granules.len().max(1)
    });
    let mut granules: FxHashMap<Granule, GranuleScan> = FxHashMap::default();
    let mut found = SitePairs::default();
    let mut looks = 0;
    for later in &trace.events {
        let GranuleScan { history, paired, looks: own } =
            granules.entry(later.granule).or_default();
        let is_over = looks > MAX_COMPARISONS && *own > *share;
        if paired.len() >= MAX_PAIRS || is_over {
            found.skipped += 1;
            continue;
        }
        let places = history.places(later.action);
        (*own, looks) = (*own + places, looks + places);
        for (_, earlier) in history.racing(later, |earlier| wanted(earlier, later)) {
            let across = earlier.invocation.workgroup != later.invocation.workgroup;
            let places = site_action_pair(earlier.site_action(), later.site_action());
            if paired.len() < MAX_PAIRS && paired.insert((places, across)) {
                found.pairs.push(Pair { earlier: *earlier, later: *later });
            }
        }
        history.record(*later);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::access::Action;
    use crate::ir::sites::SiteId;
    use crate::vm::observer::MemoryId;
    use crate::vm::run::Invocation;

    const GRANULE: Granule = Granule { memory: MemoryId(0), workgroup: 0, index: 0 };

    fn event(workgroup: u32, local: u32, site: u32, action: Action) -> Event {
        Event {
            granule: GRANULE,
            invocation: Invocation { workgroup, local },
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

    #[test]
    fn a_pair_between_workgroups_is_not_hidden_by_a_nearer_one_within() {
        let (far, near) = (event(0, 0, 0, Action::Read), event(1, 0, 0, Action::Read));
        let write = event(1, 1, 1, Action::Write);
        let trace = Trace { events: vec![far, near, write], dropped: 0 };
        let found = all_site_pairs(&trace).pairs;
        assert_eq!(found.iter().map(|pair| pair.earlier).collect::<Vec<_>>(), [near, far]);
        assert_eq!(pairs(&trace), [Pair { earlier: near, later: write }]);
    }

    #[test]
    fn many_sites_of_one_invocation_do_not_slow_down_pairing() {
        let places = 6_000;
        let mut trace = Trace::default();
        for site in 0..places {
            // Two invocations write another word.
            let other = Granule { index: 1, ..GRANULE };
            trace.events.push(event(0, 0, site, Action::Write));
            trace.events.push(Event { granule: other, ..event(0, site % 2, 7, Action::Write) });
        }
        let found = all_site_pairs(&trace);
        assert_eq!(found.pairs.len(), 1);
        assert_eq!(found.pairs[0].later.granule.index, 1);
        assert!((1..u64::from(places)).contains(&found.skipped), "{}", found.skipped);
    }

    #[test]
    fn a_word_that_very_many_places_touch_has_some_pairs_and_says_how_much_was_passed_over() {
        let places = 2_000;
        let by = |local| (0..places).map(move |site| event(0, local, site, Action::Write));
        let trace = Trace { events: by(0).chain(by(1)).collect(), dropped: 0 };
        let found = all_site_pairs(&trace);
        assert_eq!(found.pairs.len(), MAX_PAIRS);
        assert_eq!(found.skipped, u64::from(places) - 1);
        let reads: Vec<Event> =
            (0..8 * places).map(|n| event(0, n / places, n % places, Action::Read)).collect();
        let found = all_site_pairs(&Trace { events: reads, dropped: 0 });
        assert_eq!((found.pairs, found.skipped), (vec![], 0));
    }
}
