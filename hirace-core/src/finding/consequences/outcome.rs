//! Finds the effect of a race on memory or on a value that is read.

use super::stores::StoreSites;
use super::updates::Updates;
use super::values::{self, RacyWords};
use crate::facts::{Dependence, Outcome, Place};
use crate::finding::executed_launch::ExecutedLaunch;
use crate::finding::group::Group;
use crate::finding::log::Log;
use crate::ir::sites::SiteId;
use std::collections::BTreeSet;

/// Returns the effect of the race; `None` if it is not known.
///
/// A lost update is checked first: if invocations write values that depend on what they read, then equal values do not
/// make the race harmless. Invocations that increment in lockstep all write the same number, and all increments but one
/// are lost.
pub(super) fn find_outcome(
    ran: &ExecutedLaunch<'_>,
    log: &Log<'_>,
    words: RacyWords<'_>,
    stores: &StoreSites<'_>,
    updates: &Updates,
) -> Option<Outcome> {
    let group = words.group;
    let lost = |by| {
        let (load, store) = updates.racing(log, group, by)?;
        let at = |site| Place::of(ran.program, site);
        Some(Outcome::LostUpdate { load: at(load), store: at(store), by })
    };
    if let Some(lost) = lost(Dependence::Value) {
        return Some(lost);
    }
    let sites: BTreeSet<SiteId> = group.sites.iter().flat_map(|&(a, b)| [a, b]).collect();
    let written = sites.iter().copied().filter(|&site| stores.is_plain_write(site)).collect();
    let same = values::common_value(ran, log, words, &written, stores);
    if written == sites
        && let Some(same) = same
    {
        return Some(Outcome::SameValue(same));
    }
    // An invocation that writes too late, but writes the same value, changes nothing.
    if same.is_none()
        && let Some(lost) = lost(Dependence::Control)
    {
        return Some(lost);
    }
    let read = stale(group, stores)?;
    Some(Outcome::StaleRead { read: Place::of(ran.program, read) })
}

/// Returns a plain read that races with a write: that of the representative pair, or the first one.
fn stale(group: &Group, stores: &StoreSites<'_>) -> Option<SiteId> {
    let shown = (group.pair.earlier.site, group.pair.later.site);
    let read = |(a, b): (SiteId, SiteId)| match () {
        () if stores.is_plain_read(a) && stores.writes(b) => Some(a),
        () if stores.is_plain_read(b) && stores.writes(a) => Some(b),
        () => None,
    };
    read(shown).or_else(|| group.sites.iter().copied().find_map(read))
}
