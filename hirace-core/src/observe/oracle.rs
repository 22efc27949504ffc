//! The exact happens-before oracle: every race, by definition, with all pairs of places that race.
//!
//! It keeps far more than the automaton's one word a granule and takes far longer. It is there to
//! judge the automaton by.

use super::clocks::Clocks;
use super::history::{History, Place, PlacePair, place_pair};
use super::trace::Event;
use super::{Granule, Layout, Racy, events};
use crate::ir::sites::SiteId;
use crate::vm::observer::{Accesses, Observer, Watcher};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Observes a dispatch and remembers all of it that matters.
#[derive(Debug)]
pub struct Oracle {
    layout: Layout,
    shards: Vec<Mutex<Shard>>,
}

/// How many locks the histories are spread over.
const SHARDS: usize = 64;

type Shard = FxHashMap<Granule, Judged>;

/// One granule.
#[derive(Debug, Default)]
struct Judged {
    history: History,
    races: BTreeSet<PlacePair>,
    /// The place of the later access of the race that was found first.
    first: Option<Place>,
}

impl Oracle {
    /// For a dispatch over these memories.
    pub fn new(layout: Layout) -> Self {
        Self { layout, shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// The granules that raced.
    pub fn racy(&self) -> Racy {
        let mut racy = Racy::new();
        for shard in self.shards() {
            let firsts =
                shard.iter().filter_map(|(granule, judged)| Some((*granule, judged.first?)));
            racy.extend(firsts.map(|(granule, (site, _))| (granule, site)));
        }
        racy
    }

    /// For each granule that raced, all pairs of places whose accesses raced on it.
    pub fn pairs(&self) -> BTreeMap<Granule, BTreeSet<PlacePair>> {
        let mut pairs = BTreeMap::new();
        for shard in self.shards() {
            let racy = shard.iter().filter(|(_, judged)| judged.first.is_some());
            pairs.extend(racy.map(|(granule, judged)| (*granule, judged.races.clone())));
        }
        pairs
    }

    fn shards(&self) -> impl Iterator<Item = MutexGuard<'_, Shard>> {
        self.shards.iter().map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn judge(&self, event: Event) {
        let shard = FxBuildHasher.hash_one(event.granule) as usize % SHARDS;
        let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let judged = shard.entry(event.granule).or_default();
        for (_, earlier) in judged.history.racing(&event) {
            judged.first.get_or_insert(event.place());
            judged.races.insert(place_pair(earlier.place(), event.place()));
        }
        judged.history.record(event);
    }
}

impl Observer for Oracle {
    type Watcher<'o> = OracleWatcher<'o>;

    fn watch(&self, workgroup: u32) -> OracleWatcher<'_> {
        OracleWatcher { oracle: self, workgroup, clocks: Clocks::default(), diverged: false }
    }

    fn reset(&self) {
        self.shards().for_each(|mut shard| shard.clear());
    }
}

/// Watches one workgroup for the [`Oracle`].
#[derive(Debug)]
pub struct OracleWatcher<'o> {
    oracle: &'o Oracle,
    workgroup: u32,
    clocks: Clocks,
    diverged: bool,
}

impl Watcher for OracleWatcher<'_> {
    fn access(&mut self, accesses: &Accesses<'_>) {
        if self.diverged {
            return;
        }
        for event in events(&self.oracle.layout, &self.clocks, self.workgroup, accesses) {
            self.oracle.judge(event);
        }
    }

    fn barrier(&mut self, site: SiteId, barrier: naga::Barrier) {
        self.clocks.barrier(site, barrier);
    }

    fn subgroup_barrier(&mut self, _: SiteId, subgroup: u32) {
        self.clocks.subgroup_barrier(subgroup);
    }

    fn diverged(&mut self) {
        self.diverged = true;
    }
}
