//! Phase 2 of detection: re-runs a launch to find the pairs of accesses that race.
//!
//! The detector reports that a word raced, but not which accesses did. The launch is therefore re-run with a log of
//! every access to a bounded selection of the racy words, and the unordered pairs are read off that log. If the race on
//! a word does not occur again, its other access stays unidentified; it is never guessed.
//!
//! Only this run shows the values that stores write, and only to observers that ask for them
//! ([`Observer::wants_values`](crate::vm::observer::Observer::wants_values)).

use crate::diagnostic::Result;
use crate::exec::{Outcome, Relation, Watch};
use crate::ir::sites::SiteId;
use crate::observe::trace::{Event, Pair, SitePairs, Trace, site_pairs_where};
use crate::observe::{Granule, RacyGranules};
use crate::vm::observer::MemoryId;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of words of a dispatch that phase 2 traces.
pub const MAX_TRACED_WORDS: usize = 4096;

/// The result of phase 2 for the requested words.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The racing pairs that were observed.
    pub pairs: Vec<Pair>,
    /// All accesses to the words, in execution order for each word.
    pub log: Vec<Event>,
    /// The number of accesses that did not fit in the log.
    pub dropped: u64,
}

/// A callback that re-runs the launch and explains words of the dispatch with the given index.
pub type ExplainFn<'a> = dyn FnMut(usize, &[Granule]) -> Result<Explanation> + 'a;

/// The results of both phases for one dispatch.
#[derive(Debug)]
pub(crate) struct ExplainedDispatch<'a> {
    /// The racy words of the dispatch.
    pub racy: &'a RacyGranules,
    /// The words that were traced.
    pub traced: BTreeSet<Granule>,
    /// The result of phase 2 for these words.
    pub explanation: Explanation,
}

/// Runs phase 2 for every dispatch of a launch and combines both results.
pub(crate) fn explain<'a>(
    outcome: &'a Outcome,
    explain: &mut ExplainFn<'_>,
) -> Result<Vec<ExplainedDispatch<'a>>> {
    let dispatches = outcome.dispatches.iter().enumerate();
    dispatches
        .map(|(index, dispatched)| {
            let granules = choose_words(&dispatched.racy, MAX_TRACED_WORDS);
            let explanation = match granules.is_empty() {
                true => Explanation::default(),
                false => explain(index, &granules)?,
            };
            let traced = granules.into_iter().collect();
            Ok(ExplainedDispatch { racy: &dispatched.racy, traced, explanation })
        })
        .collect()
}

/// Returns the racing pairs of `trace` that are watched, one for each pair of sites and word.
pub fn watched_pairs(trace: &Trace, watch: &Watch, subgroup_size: u32) -> SitePairs {
    let between =
        |a: &Event, b: &Event| Relation::between(a.invocation, b.invocation, subgroup_size);
    site_pairs_where(trace, |earlier, later| {
        watch.relations.is_empty() || watch.relations.contains(&between(earlier, later))
    })
}

/// Chooses at most `limit` of the racy granules, in ascending order. Each combination of memory and later site gets an
/// equal share, spread evenly over its words. If there are more combinations than `limit`, the first of them get one
/// word each.
pub fn choose_words(racy: &RacyGranules, limit: usize) -> Vec<Granule> {
    let mut by_site: BTreeMap<(MemoryId, SiteId), Vec<Granule>> = BTreeMap::new();
    for (&granule, &site) in racy {
        by_site.entry((granule.memory, site)).or_default().push(granule);
    }
    let mut groups: Vec<Vec<Granule>> = by_site.into_values().collect();
    // Small groups come first, so that the larger groups receive the rest of their shares.
    groups.sort_by_key(Vec::len);
    let mut chosen = Vec::new();
    for (done, group) in groups.iter().enumerate() {
        let share = (limit - chosen.len()).div_ceil(groups.len() - done).min(group.len());
        chosen.extend((0..share).map(|i| group[i * group.len() / share]));
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn racy(sites: &[(u32, u32)]) -> RacyGranules {
        let granule = |index| Granule { memory: MemoryId(0), workgroup: 0, index };
        let mut next = 0;
        let words = sites.iter().flat_map(|&(site, n)| std::iter::repeat_n(site, n as usize));
        words
            .map(|site| {
                next += 1;
                (granule(next - 1), SiteId(site))
            })
            .collect()
    }

    #[test]
    fn every_site_gets_words_and_what_is_left_goes_to_the_larger() {
        let racy = racy(&[(0, 1000), (1, 2), (2, 30)]);
        let chosen = choose_words(&racy, 50);
        let of = |site| chosen.iter().filter(|g| racy[g] == SiteId(site)).count();
        assert_eq!((of(0), of(1), of(2)), (24, 2, 24));
    }

    #[test]
    fn words_are_spread() {
        let chosen = choose_words(&racy(&[(0, 1000)]), 4);
        assert_eq!(chosen.iter().map(|g| g.index).collect::<Vec<_>>(), [0, 250, 500, 750]);
    }

    #[test]
    fn more_sites_than_room_and_no_race_are_fine() {
        assert_eq!(choose_words(&racy(&[(0, 5), (1, 5), (2, 5)]), 2).len(), 2);
        assert!(choose_words(&RacyGranules::new(), 10).is_empty());
    }
}
