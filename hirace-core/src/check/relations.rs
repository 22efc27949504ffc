//! Filters out races between invocations whose relation is not watched.

use super::rerun::Rerun;
use crate::diagnostic::Result;
use crate::exec::{Outcome, Watch};
use crate::finding::explain::{MAX_TRACED_WORDS, choose_words, watched_pairs};
use crate::observe::trace::{SitePairs, site_pairs_where};
use std::collections::BTreeSet;

/// Removes from the racy words of `outcome` those whose races are all between invocations in a relation that is not
/// watched. Words beyond the limit of the trace are kept.
pub(super) fn filter(rerun: &Rerun<'_>, watch: &Watch, outcome: &mut Outcome) -> Result<()> {
    if watch.relations.is_empty() {
        return Ok(());
    }
    for (index, dispatched) in outcome.dispatches.iter_mut().enumerate() {
        let granules = choose_words(&dispatched.racy, MAX_TRACED_WORDS);
        if granules.is_empty() {
            continue;
        }
        let trace = rerun.trace(index, &granules)?;
        let of = |found: SitePairs| -> BTreeSet<_> {
            found.pairs.into_iter().map(|pair| pair.later.granule).collect()
        };
        let seen = of(site_pairs_where(&trace, |_, _| true));
        let wanted = of(watched_pairs(&trace, watch, rerun.launch.subgroup_size));
        dispatched.racy.retain(|granule, _| !seen.contains(granule) || wanted.contains(granule));
    }
    Ok(())
}
