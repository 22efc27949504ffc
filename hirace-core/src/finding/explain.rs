//! Phase 2: which racy words are looked at again, and the pairs of accesses found there.
//!
//! The detector says *that* a word raced, not with whom. So the launch runs once more with a log of
//! every access to a bounded choice of the racy words, and the pairs that nothing orders are read
//! off that log. A word whose race does not show again stays without a partner; none is guessed.

use crate::diagnostic::Result;
use crate::exec::Outcome;
use crate::ir::sites::SiteId;
use crate::observe::trace::{Event, Pair};
use crate::observe::{Granule, Racy};
use crate::vm::observer::MemoryId;
use std::collections::{BTreeMap, BTreeSet};

/// How many words of a dispatch are looked at again.
pub const LIMIT: usize = 4096;

/// What phase 2 says about the words it was asked about.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The racing pairs seen.
    pub pairs: Vec<Pair>,
    /// All accesses to the words, in the order of execution for each.
    pub log: Vec<Event>,
    /// Accesses that the log had no room for.
    pub dropped: u64,
}

/// Runs the launch again and explains words of the dispatch with this index.
pub type Explain<'a> = dyn FnMut(usize, &[Granule]) -> Result<Explanation> + 'a;

/// One dispatch after both phases.
#[derive(Debug)]
pub(crate) struct Explained<'a> {
    /// Its racy words.
    pub racy: &'a Racy,
    /// Those looked at again.
    pub traced: BTreeSet<Granule>,
    /// What was seen there.
    pub explanation: Explanation,
}

/// Both phases of every dispatch of a launch.
pub(crate) fn explain<'a>(
    outcome: &'a Outcome,
    explain: &mut Explain<'_>,
) -> Result<Vec<Explained<'a>>> {
    let dispatches = outcome.dispatches.iter().enumerate();
    dispatches
        .map(|(index, dispatched)| {
            let granules = choose(&dispatched.racy, LIMIT);
            let explanation = match granules.is_empty() {
                true => Explanation::default(),
                false => explain(index, &granules)?,
            };
            let traced = granules.into_iter().collect();
            Ok(Explained { racy: &dispatched.racy, traced, explanation })
        })
        .collect()
}

/// At most `limit` of the racy granules, in ascending order: an equal share for each memory and
/// later site, spread evenly over the words there. (Where there are more of these than `limit`,
/// one word each for the first of them.)
pub fn choose(racy: &Racy, limit: usize) -> Vec<Granule> {
    let mut by_site: BTreeMap<(MemoryId, SiteId), Vec<Granule>> = BTreeMap::new();
    for (&granule, &site) in racy {
        by_site.entry((granule.memory, site)).or_default().push(granule);
    }
    let mut groups: Vec<Vec<Granule>> = by_site.into_values().collect();
    // Small groups first, so that what they leave of their share goes to the larger ones.
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

    fn racy(sites: &[(u32, u32)]) -> Racy {
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
        let chosen = choose(&racy, 50);
        let of = |site| chosen.iter().filter(|g| racy[g] == SiteId(site)).count();
        assert_eq!((of(0), of(1), of(2)), (24, 2, 24));
    }

    #[test]
    fn words_are_spread() {
        let chosen = choose(&racy(&[(0, 1000)]), 4);
        assert_eq!(chosen.iter().map(|g| g.index).collect::<Vec<_>>(), [0, 250, 500, 750]);
    }

    #[test]
    fn more_sites_than_room_and_no_race_are_fine() {
        assert_eq!(choose(&racy(&[(0, 5), (1, 5), (2, 5)]), 2).len(), 2);
        assert!(choose(&Racy::new(), 10).is_empty());
    }
}
