//! What the engine finds by itself: barrier divergence, accesses out of bounds, no progress.

use super::judge::Case;
use super::place::{place, span_of};
use super::who::Grid;
use super::{Certainty, Finding, Place, bounds, divergence, progress};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::run::{Invocation, Whereabouts};
use std::collections::BTreeMap;

/// All of them, over all dispatches; what happened in several is one finding.
pub(crate) fn findings(case: &Case<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (dispatch, dispatched) in case.outcome.dispatches.iter().enumerate() {
        let grid = Grid::of(case.program, case.launch, dispatch);
        let run = &dispatched.run;
        let found = run.divergences.iter().map(|found| divergence::finding(case, &grid, found));
        let found = found.chain(bounds::findings(case, &grid, &run.out_of_bounds));
        let found = found.chain(run.no_progress.iter().map(|f| progress::finding(case, &grid, f)));
        for finding in found {
            let same = |known: &&mut Finding| {
                known.fingerprint == finding.fingerprint
                    && known.accesses.first().map(|at| (at.line, at.column))
                        == finding.accesses.first().map(|at| (at.line, at.column))
            };
            match findings.iter_mut().find(same) {
                Some(known) => known.count += finding.count,
                None => findings.push(finding),
            }
        }
    }
    findings
}

/// `message`, with «possibly» before it where the finding is only that.
pub(super) fn perhaps(certainty: Certainty, message: String) -> String {
    match certainty {
        Certainty::Certain => message,
        Certainty::Possible => format!("possibly, {message}"),
    }
}

/// Where somebody is whom the engine saw there, as far as the source knows such a place: the end of
/// the entry point is no `return`.
pub(super) fn in_source(program: &Program, at: Whereabouts) -> Whereabouts {
    match at {
        Whereabouts::Returned(Some(site)) if span_of(program.sites.get(site)).is_empty() => {
            Whereabouts::Returned(None)
        }
        other => other,
    }
}

/// Invocations by where they are, in ascending order each.
pub(super) fn by_whereabouts(
    of: impl Iterator<Item = (u32, Whereabouts)>,
) -> Vec<(Whereabouts, Vec<u32>)> {
    let mut groups: BTreeMap<(u8, Option<SiteId>), (Whereabouts, Vec<u32>)> = BTreeMap::new();
    for (local, at) in of {
        let key = match at {
            Whereabouts::AtBarrier(site) => (0, Some(site)),
            Whereabouts::Running(site) => (1, Some(site)),
            Whereabouts::Returned(site) => (2, site),
        };
        groups.entry(key).or_insert((at, Vec::new())).1.push(local);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.iter_mut().for_each(|(_, locals)| locals.sort_unstable());
    groups
}

/// The place where somebody is instead; `None` for the end of the entry point.
pub(super) fn whereabouts_place(
    case: &Case<'_>,
    grid: &Grid,
    at: Whereabouts,
    names: &str,
    one: bool,
    who: Invocation,
) -> Option<Place> {
    let verb = |one_does: &'static str, several: &'static str| if one { one_does } else { several };
    let (site, kind, what) = match at {
        Whereabouts::AtBarrier(site) => (site, "barrier", verb("waits here", "wait here")),
        Whereabouts::Running(site) => (site, "running", verb("is here", "are here")),
        Whereabouts::Returned(site) => (site?, "return", "returned here"),
    };
    let span = span_of(case.program.sites.get(site));
    Some(place(&case.program.source, span, kind, format!("{names} {what}"), Some((grid, who))))
}
