//! The results that each worker collects while it runs, and how they are merged.

use crate::ir::sites::SiteId;
use crate::source_map::Span;
use crate::vm::code::Check;
use crate::vm::observer::MemoryId;
use crate::vm::run::{
    BrokenClaim, Divergence, ExecutionCount, Invocation, NoProgress, OutOfBounds, Run,
};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// The results of one worker.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    executed: Vec<Count>,
    out_of_bounds: FxHashMap<(u32, Span, Option<MemoryId>), OutOfBounds>,
    /// The broken claims, by number.
    broken: FxHashMap<u32, BrokenClaim>,
    divergences: FxHashMap<u32, Divergence>,
    wanted: FxHashMap<MemoryId, u64>,
    pub no_progress: Option<NoProgress>,
    pub steps: u64,
    /// How often shared memory was written, or changed by an atomic operation.
    pub changes: u64,
}

/// How often a site was executed, and by which invocation first.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    count: u64,
    first: Option<Invocation>,
    /// Whether at least two invocations executed the site.
    by_several: bool,
}

/// A fact that several workers may find: the first one is kept, with the total count.
trait CountedFact {
    fn count(&mut self) -> &mut u64;

    /// Returns whether this fact precedes that of another worker.
    fn is_before(&self, other: &Self) -> bool;
}

impl CountedFact for OutOfBounds {
    fn count(&mut self) -> &mut u64 {
        &mut self.count
    }

    fn is_before(&self, other: &Self) -> bool {
        self.invocation < other.invocation
    }
}

impl CountedFact for BrokenClaim {
    fn count(&mut self) -> &mut u64 {
        &mut self.count
    }

    fn is_before(&self, other: &Self) -> bool {
        self.invocation < other.invocation
    }
}

impl CountedFact for Divergence {
    fn count(&mut self) -> &mut u64 {
        &mut self.count
    }

    fn is_before(&self, other: &Self) -> bool {
        self.workgroup < other.workgroup
    }
}

/// Adds the facts of another worker.
fn merge_facts<K: Eq + Hash, T: CountedFact>(known: &mut FxHashMap<K, T>, others: FxHashMap<K, T>) {
    for (key, mut other) in others {
        match known.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(other)),
            Entry::Occupied(entry) => {
                let known = entry.into_mut();
                let count = *known.count() + *other.count();
                if other.is_before(known) {
                    *known = other;
                }
                *known.count() = count;
            }
        }
    }
}

impl Tally {
    /// Creates an empty tally for a program with this number of sites.
    pub fn new(sites: usize) -> Self {
        Self { executed: vec![Count::default(); sites], ..Self::default() }
    }

    /// Records that a site was executed in the lanes of `mask`. `first_invocation` is the local invocation
    /// index of lane 0.
    #[inline]
    pub fn record_execution(
        &mut self,
        site: usize,
        workgroup: u32,
        first_invocation: u32,
        mask: u64,
    ) {
        let Some(count) = self.executed.get_mut(site) else { return };
        count.count += u64::from(mask.count_ones());
        if !count.by_several {
            let local = first_invocation + mask.trailing_zeros();
            let first = *count.first.get_or_insert(Invocation { workgroup, local });
            count.by_several = mask.count_ones() > 1 || first != (Invocation { workgroup, local });
        }
    }

    /// Records an index that is out of bounds.
    pub fn record_out_of_bounds(
        &mut self,
        check: &Check,
        invocation: Invocation,
        index: i64,
        length: u32,
    ) {
        let key = (check.site.0, check.span, check.memory);
        let entry = self.out_of_bounds.entry(key).or_insert_with(|| OutOfBounds {
            site: check.site,
            span: check.span,
            memory: check.memory,
            invocation,
            index,
            length,
            count: 0,
            is_used: true,
        });
        entry.count += 1;
    }

    /// Records a claim of the source that does not hold.
    #[cold]
    pub fn record_broken_claim(&mut self, claim: u32, describe: impl FnOnce() -> BrokenClaim) {
        self.broken.entry(claim).or_insert_with(describe).count += 1;
    }

    /// Records that a buffer of assumed length was too short.
    pub fn record_wanted_length(&mut self, memory: MemoryId, bytes: u64) {
        let entry = self.wanted.entry(memory).or_default();
        *entry = bytes.max(*entry);
    }

    /// Records a barrier that not all invocations reached.
    pub fn record_divergence(&mut self, site: SiteId, describe: impl FnOnce() -> Divergence) {
        self.divergences.entry(site.0).or_insert_with(describe).count += 1;
    }

    /// Adds the results of another worker.
    pub fn merge(&mut self, other: Self) {
        for (to, from) in self.executed.iter_mut().zip(other.executed) {
            let two = to.first.is_some() && from.first.is_some() && to.first != from.first;
            to.by_several |= from.by_several || two;
            to.count += from.count;
            to.first = to.first.or(from.first);
        }
        merge_facts(&mut self.out_of_bounds, other.out_of_bounds);
        merge_facts(&mut self.broken, other.broken);
        merge_facts(&mut self.divergences, other.divergences);
        for (memory, bytes) in other.wanted {
            self.record_wanted_length(memory, bytes);
        }
        self.no_progress = self.no_progress.take().or(other.no_progress);
        self.steps += other.steps;
    }

    /// Returns the results in source order.
    pub fn finish(self) -> Run {
        let mut out_of_bounds: Vec<_> = self.out_of_bounds.into_values().collect();
        out_of_bounds.sort_by_key(|o| (o.site, o.span, o.memory));
        let mut broken: Vec<_> = self.broken.into_values().collect();
        broken.sort_by_key(|broken| (broken.span, broken.claim));
        let mut divergences: Vec<_> = self.divergences.into_values().collect();
        divergences.sort_by_key(|divergence| divergence.site);
        let mut wanted: Vec<_> = self.wanted.into_iter().collect();
        wanted.sort_unstable();
        let executed = self.executed.iter();
        Run {
            out_of_bounds,
            broken_claims: broken,
            divergences,
            no_progress: self.no_progress,
            executed: executed
                .map(|c| ExecutionCount { count: c.count, by_several_invocations: c.by_several })
                .collect(),
            wanted_lengths: wanted,
            steps: self.steps,
            stopped: false,
            reached_total_limit: false,
            serial: false,
        }
    }
}
