//! The exact happens-before oracle: it finds every race, by definition, with all pairs of sites that race.
//!
//! It keeps far more than one word per granule and takes far longer than the automaton, which it is used to
//! test.

use super::event::SiteAction;
use super::events::{EventWatcher, Recorder};
use super::history::{History, SiteActionPair, site_action_pair};
use super::trace::Event;
use super::{Granule, Layout, RacyGranules};
#[cfg(test)]
use crate::vm::observer::Space;
use crate::vm::observer::{MemoryId, Observer};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Observes a dispatch and keeps all relevant accesses.
#[derive(Debug)]
pub struct Oracle {
    layout: Layout,
    shards: Vec<Mutex<Shard>>,
}

/// Number of locks that the histories are distributed over.
const SHARDS: usize = 64;

type Shard = FxHashMap<Granule, GranuleHistory>;

/// The history and the races of one granule.
#[derive(Debug, Default)]
struct GranuleHistory {
    history: History,
    races: BTreeSet<SiteActionPair>,
    /// The site of the later access of the first race found.
    first: Option<SiteAction>,
}

impl Oracle {
    /// Creates an oracle for a dispatch over these memories.
    pub fn new(layout: Layout) -> Self {
        Self { layout, shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// Returns the granules that raced.
    pub fn racy(&self) -> RacyGranules {
        let mut racy = RacyGranules::new();
        for shard in self.shards() {
            let firsts =
                shard.iter().filter_map(|(granule, judged)| Some((*granule, judged.first?)));
            racy.extend(firsts.map(|(granule, (site, _))| (granule, site)));
        }
        racy
    }

    /// Returns, for each granule that raced, all pairs of sites whose accesses raced on it.
    pub fn pairs(&self) -> BTreeMap<Granule, BTreeSet<SiteActionPair>> {
        let mut pairs = BTreeMap::new();
        for shard in self.shards() {
            let racy = shard.iter().filter(|(_, judged)| judged.first.is_some());
            pairs.extend(racy.map(|(granule, judged)| (*granule, judged.races.clone())));
        }
        pairs
    }

    /// Returns whether histories of workgroup memory are kept.
    #[cfg(test)]
    pub fn keeps_own_memory(&self) -> bool {
        let mut kept = self.shards().flat_map(|shard| {
            let kept = shard.iter().filter(|(_, judged)| !judged.history.is_empty());
            kept.map(|(granule, _)| granule.memory).collect::<Vec<_>>()
        });
        kept.any(|memory| self.layout.memory(memory).is_some_and(|m| m.space == Space::Workgroup))
    }

    fn shard(&self, granule: Granule) -> MutexGuard<'_, Shard> {
        let shard = FxBuildHasher.hash_one(granule) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shards(&self) -> impl Iterator<Item = MutexGuard<'_, Shard>> {
        self.shards.iter().map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Recorder for Oracle {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn wants(&self, _: MemoryId) -> bool {
        true
    }

    fn record(&self, event: Event) {
        let mut shard = self.shard(event.granule);
        let judged = shard.entry(event.granule).or_default();
        for (_, earlier) in judged.history.racing(&event, |_| true) {
            judged.first.get_or_insert(event.site_action());
            judged.races.insert(site_action_pair(earlier.site_action(), event.site_action()));
        }
        judged.history.record(event);
    }

    /// Discards the histories of the workgroup's memory, which dominate in a launch of many workgroups.
    fn ended(&self, workgroup: u32) {
        for granule in self.layout.granules_of(workgroup) {
            if let Entry::Occupied(mut judged) = self.shard(granule).entry(granule) {
                match judged.get().first {
                    Some(_) => judged.get_mut().history = History::default(),
                    None => _ = judged.remove(),
                }
            }
        }
    }
}

impl Observer for Oracle {
    type Watcher<'o> = EventWatcher<'o, Self>;

    fn watch(&self, workgroup: u32) -> EventWatcher<'_, Self> {
        EventWatcher::new(self, workgroup)
    }

    fn reset(&self) {
        self.shards().for_each(|mut shard| shard.clear());
    }
}
