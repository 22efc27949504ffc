//! Groups racing words into races: one race for each pair of lines.
//!
//! A faulty line races on thousands of words, and often with several of its accesses. Pairs of accesses to one variable
//! on the same two lines form one group, whichever access ran first; the pair that was seen on most words represents the
//! group. Phase 2 re-runs the launch and traces racy words. A word that it did not trace is counted for a group if only
//! one group contains the access at which the detector saw the word race; otherwise it is counted for none.

use super::explain::ExplainedDispatch;
use crate::ir::sites::SiteId;
use crate::observe::Granule;
use crate::observe::trace::{Event, Pair};
use crate::vm::observer::MemoryId;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The races between two lines.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The pair that represents the group.
    pub pair: Pair,
    /// The index of the dispatch in which the pair was seen.
    pub dispatch: usize,
    /// All pairs of sites; in each, the lower site comes first.
    pub sites: BTreeSet<(SiteId, SiteId)>,
    /// The number of words that raced.
    pub words: u64,
    /// The words that phase 2 traced, each with the index of its dispatch.
    pub traced_words: BTreeSet<(usize, Granule)>,
    /// The workgroups whose instances of workgroup memory raced.
    pub workgroups: BTreeSet<u32>,
    /// The dispatches in which the race was seen.
    pub dispatches: BTreeSet<usize>,
    /// Whether any pair is between two workgroups, which no barrier orders.
    pub across_workgroups: bool,
    /// Whether any pair is within one workgroup.
    pub within_workgroup: bool,
}

/// Words that raced at a site with an access that was not identified.
#[derive(Clone, Debug)]
pub(crate) struct UnidentifiedWords {
    /// The access that the detector reported.
    pub site: SiteId,
    /// One of the words.
    pub granule: Granule,
    /// The number of words that raced.
    pub words: u64,
}

/// All races of a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupedRaces {
    /// The races for which both accesses are known.
    pub groups: Vec<Group>,
    /// The races for which only one access is known.
    pub unidentified: Vec<UnidentifiedWords>,
    /// The number of racy words that are at a site of a group but not counted for it: several groups contain the site, or
    /// phase 2 traced the word and found no pair of accesses.
    pub unexplained: u64,
}

/// The key of a group: the memory and the two lines, the lower line first.
type Lines = (MemoryId, u32, u32);

/// The data collected for one pair of sites: the words in each dispatch, and the first pair.
struct SitePair {
    words: FxHashSet<(usize, Granule)>,
    first: (usize, Pair),
    across_workgroups: bool,
    within_workgroup: bool,
}

/// Groups the races of a launch.
pub(crate) fn group(
    dispatches: &[ExplainedDispatch<'_>],
    line: impl Fn(SiteId) -> u32,
) -> GroupedRaces {
    let mut gathered: BTreeMap<Lines, BTreeMap<(SiteId, SiteId), SitePair>> = BTreeMap::new();
    for (dispatch, explained) in dispatches.iter().enumerate() {
        for &pair in &explained.explanation.pairs {
            let memory = pair.later.granule.memory;
            let sites = ordered(pair.earlier.site, pair.later.site);
            let (low, high) = ordered(line(sites.0), line(sites.1));
            let entry = gathered.entry((memory, low, high)).or_default().entry(sites);
            let this = (dispatch, pair);
            let found = entry.or_insert_with(|| SitePair {
                words: FxHashSet::default(),
                first: this,
                across_workgroups: false,
                within_workgroup: false,
            });
            let across = pair.earlier.invocation.workgroup != pair.later.invocation.workgroup;
            found.across_workgroups |= across;
            found.within_workgroup |= !across;
            found.words.insert((dispatch, pair.later.granule));
            if order(&this) < order(&found.first) {
                found.first = this;
            }
        }
    }
    let mut grouped = GroupedRaces {
        groups: gathered.into_values().filter_map(merge).collect(),
        ..GroupedRaces::default()
    };
    for (dispatch, explained) in dispatches.iter().enumerate() {
        attribute(&mut grouped, dispatch, explained);
    }
    grouped
}

fn ordered<T: Ord>(a: T, b: T) -> (T, T) {
    if b < a { (b, a) } else { (a, b) }
}

/// Returns the sort key that selects the pair to show: the first dispatch, the first word, the first invocations.
fn order((dispatch, pair): &(usize, Pair)) -> impl Ord + use<> {
    let (low, high) = ordered(pair.earlier.invocation, pair.later.invocation);
    (*dispatch, pair.later.granule, low, high)
}

/// Merges pairs of sites into a group, which the pair with the most words represents. Returns `None` if there are no
/// pairs.
fn merge(pairs: BTreeMap<(SiteId, SiteId), SitePair>) -> Option<Group> {
    // If several pairs have the most words, the first one is used. `max_by_key` returns the last, so the order is reversed.
    let shown = pairs.values().rev().max_by_key(|found| found.words.len())?;
    let (dispatch, pair) = shown.first;
    let words: BTreeSet<_> = pairs.values().flat_map(|found| &found.words).collect();
    Some(Group {
        pair,
        dispatch,
        words: words.len() as u64,
        traced_words: words.iter().copied().copied().collect(),
        workgroups: words.iter().map(|(_, granule)| granule.workgroup).collect(),
        dispatches: words.iter().map(|&&(dispatch, _)| dispatch).collect(),
        across_workgroups: pairs.values().any(|found| found.across_workgroups),
        within_workgroup: pairs.values().any(|found| found.within_workgroup),
        sites: pairs.into_keys().collect(),
    })
}

/// Attributes the racy words of a dispatch for which no pair was seen.
fn attribute(grouped: &mut GroupedRaces, dispatch: usize, explained: &ExplainedDispatch<'_>) {
    let paired: BTreeSet<Granule> =
        explained.explanation.pairs.iter().map(|pair| pair.later.granule).collect();
    for (&granule, &site) in explained.racy {
        if paired.contains(&granule) {
            continue;
        }
        let mut candidates = grouped.groups.iter_mut().filter(|group| {
            let at = |&(a, b): &(SiteId, SiteId)| a == site || b == site;
            group.pair.later.granule.memory == granule.memory && group.sites.iter().any(at)
        });
        let traced = explained.traced.contains(&granule);
        match (candidates.next(), candidates.next()) {
            (Some(group), None) if !traced => {
                group.words += 1;
                group.workgroups.insert(granule.workgroup);
                group.dispatches.insert(dispatch);
            }
            (Some(_), _) => grouped.unexplained += 1,
            (None, _) => {
                let same = |u: &&mut UnidentifiedWords| {
                    u.site == site && u.granule.memory == granule.memory
                };
                match grouped.unidentified.iter_mut().find(same) {
                    Some(known) => known.words += 1,
                    None => {
                        grouped.unidentified.push(UnidentifiedWords { site, granule, words: 1 })
                    }
                }
            }
        }
    }
}

impl Group {
    /// Returns the two accesses, the more important one first: a write before a read, a plain access before an atomic
    /// one, otherwise the one that ran later.
    pub fn accesses(&self) -> [Event; 2] {
        use crate::ir::access::Action;
        let rank = |event: Event| match event.action {
            Action::Write => 0,
            Action::Read => 1,
            Action::Atomic | Action::AtomicInWorkgroup => 2,
        };
        let Pair { earlier, later } = self.pair;
        if rank(earlier) < rank(later) { [earlier, later] } else { [later, earlier] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::explain::Explanation;
    use crate::ir::access::Action;
    use crate::observe::RacyGranules;
    use crate::observe::trace::WrittenBits;
    use crate::vm::run::Invocation;

    const MEMORY: MemoryId = MemoryId(0);

    fn granule(index: u32) -> Granule {
        Granule { memory: MEMORY, workgroup: 0, index }
    }

    fn pair(index: u32, earlier: (u32, Action), later: (u32, Action)) -> Pair {
        let event = |(site, action), local| Event {
            granule: granule(index),
            invocation: Invocation { workgroup: 0, local },
            subgroup: 0,
            site: SiteId(site),
            action,
            epoch: 0,
            subgroup_epoch: 0,
            barriers: 0,
            last_barrier: None,
            written: WrittenBits::Unknown,
        };
        Pair { earlier: event(earlier, 0), later: event(later, 1) }
    }

    /// Returns the line of a site: sites 0 to 9 are on line 1, 10 to 19 on line 2, and so on.
    fn line(site: SiteId) -> u32 {
        site.0 / 10 + 1
    }

    fn grouped(racy: &[(u32, u32)], traced: &[u32], pairs: Vec<Pair>) -> GroupedRaces {
        let racy: RacyGranules = racy.iter().map(|&(i, site)| (granule(i), SiteId(site))).collect();
        let traced = traced.iter().map(|&index| granule(index)).collect();
        let explanation = Explanation { pairs, ..Explanation::default() };
        group(&[ExplainedDispatch { racy: &racy, traced, explanation }], line)
    }

    use Action::{Read, Write};

    #[test]
    fn pairs_on_the_same_two_lines_are_one_group_and_the_commonest_is_shown() {
        let pairs = vec![
            pair(0, (1, Read), (10, Write)),
            pair(1, (10, Write), (1, Read)),
            pair(0, (11, Write), (2, Read)),
            pair(2, (20, Write), (1, Read)),
        ];
        let racy = [(0, 10), (1, 1), (2, 1)];
        let grouped = grouped(&racy, &[0, 1, 2], pairs);
        assert_eq!(grouped.groups.len(), 2);
        let first = &grouped.groups[0];
        assert_eq!((first.words, first.sites.len()), (2, 2));
        assert_eq!((first.pair.earlier.site, first.pair.later.site), (SiteId(1), SiteId(10)));
        assert_eq!(first.accesses()[0].action, Write, "the write is what to look at first");
    }

    #[test]
    fn words_that_were_not_traced_go_to_the_only_group_of_their_site() {
        let pairs = vec![pair(0, (1, Write), (10, Read)), pair(1, (20, Write), (30, Read))];
        let racy = [(0, 10), (1, 30), (2, 10), (3, 10), (4, 30)];
        let grouped = grouped(&racy, &[0, 1], pairs);
        let words: Vec<u64> = grouped.groups.iter().map(|group| group.words).collect();
        assert_eq!((words, grouped.unexplained, grouped.unidentified.len()), (vec![3, 2], 0, 0));
    }

    #[test]
    fn words_that_may_belong_to_two_groups_are_not_given_to_either() {
        let pairs = vec![pair(0, (1, Write), (10, Read)), pair(1, (20, Write), (10, Read))];
        let grouped = grouped(&[(0, 10), (1, 10), (2, 10)], &[0, 1], pairs);
        assert_eq!(grouped.groups.iter().map(|group| group.words).sum::<u64>(), 2);
        assert_eq!(grouped.unexplained, 1);
    }

    #[test]
    fn a_word_that_did_not_race_again_is_not_guessed_at() {
        let grouped = grouped(&[(0, 10), (1, 10), (2, 20)], &[0, 1, 2], vec![]);
        let found: Vec<_> = grouped.unidentified.iter().map(|u| (u.site, u.words)).collect();
        assert_eq!(found, [(SiteId(10), 2), (SiteId(20), 1)]);
        let pairs = vec![pair(0, (1, Write), (10, Read))];
        let grouped = super::tests::grouped(&[(0, 10), (1, 10)], &[0, 1], pairs);
        assert_eq!((grouped.groups[0].words, grouped.unexplained), (1, 1));
    }
}
