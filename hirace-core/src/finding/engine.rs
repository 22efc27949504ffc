//! Builds the findings that the engine detects itself, and that a device reports in addition to races: barrier
//! divergence, accesses out of bounds, missing progress and failed assertions.

use super::executed_launch::ExecutedLaunch;
use super::trial::Trials;
use super::{assertion, bounds, divergence, progress};
use crate::facts::Finding;

/// Returns these findings for all dispatches. What occurs in several dispatches becomes one finding.
pub(super) fn findings(ran: &ExecutedLaunch<'_>, trials: &mut Option<Trials<'_>>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (dispatch, dispatched) in ran.outcome.dispatches.iter().enumerate() {
        let grid = ran.grid(dispatch);
        let run = &dispatched.run;
        let divergences: Vec<Finding> = run
            .divergences
            .iter()
            .map(|found| divergence::finding(ran, grid, found, trials))
            .collect();
        let found = divergences.into_iter().chain(divergence::unlocated_finding(
            ran,
            dispatch,
            &dispatched.diverged,
        ));
        let bounds = bounds::findings(ran, grid, &run.out_of_bounds, trials);
        let found = found.chain(bounds);
        let found =
            found.chain(run.no_progress.iter().filter_map(|f| progress::finding(ran, grid, f)));
        let found = found.chain(run.broken_claims.iter().map(|f| assertion::finding(ran, grid, f)));
        for finding in found {
            let first = |finding: &Finding| finding.places().first().map(|place| place.at);
            let same = |known: &&mut Finding| {
                known.fingerprint == finding.fingerprint && first(known) == first(&finding)
            };
            match findings.iter_mut().find(same) {
                Some(known) => known.count += finding.count,
                None => findings.push(finding),
            }
        }
    }
    findings
}
