//! Finds the causes of races among the other findings of a launch. Only causes that are certain are recorded.

use super::group::Group;
use super::trial::Trials;
use crate::facts::{Cause, CauseLink, Finding, FindingKind};
use crate::ir::sites::SiteId;

/// Records the cause of a race, if it is one of `others`: an index out of bounds that is clamped, or a barrier that not all
/// invocations reach.
pub(super) fn attach_to_cause(
    race: &mut Finding,
    group: &Group,
    others: &[Finding],
    trials: &mut Trials<'_>,
) {
    let is_at_race = |site: &SiteId| group.sites.iter().any(|(a, b)| a == site || b == site);
    let is_clamped = |finding: &&Finding| match &finding.what {
        FindingKind::OutOfBounds(found) => {
            found.accesses.iter().any(|access| is_at_race(&access.site))
        }
        _ => false,
    };
    let clamped: Vec<&Finding> = others.iter().filter(is_clamped).collect();
    if let Some(first) = clamped.iter().min_by_key(|finding| finding.rank())
        && first.certainty() <= race.certainty()
        && trials.is_only_clamped(group)
    {
        race.caused_by = Some(Cause::new(first, CauseLink::Clamping));
        return;
    }
    // A barrier that is missed does not order what it should.
    let is_divergence = |finding: &&Finding| matches!(finding.what, FindingKind::Divergence(_));
    let divergences: Vec<&Finding> = others.iter().filter(is_divergence).collect();
    if let Some(cause) = trials.cause_by_change(group, race, &divergences) {
        race.caused_by = Some(cause);
    }
}

/// Replaces causes that have a cause themselves by that one.
pub(super) fn resolve_chains(findings: &mut [Finding]) {
    for index in 0..findings.len() {
        let Some(cause) = &findings[index].caused_by else { continue };
        let first = findings.iter().find(|finding| cause.is(finding));
        if let Some(first) = first.and_then(|first| first.caused_by.clone()) {
            findings[index].caused_by = Some(first);
        }
    }
}
