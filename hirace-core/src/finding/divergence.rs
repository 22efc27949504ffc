//! Builds findings from barriers that not all invocations of a workgroup reach.

use super::barriers::barrier;
use super::executed_launch::ExecutedLaunch;
use super::fingerprint::{SiteText, fingerprint};
use super::invocation_location::{group_by_location, in_source, to_location};
use super::suggest;
use super::trial::Trials;
use crate::analysis::uniformity::non_uniform_barriers;
use crate::facts::{
    Divergence, Finding, FindingKind, Grid, Kind, MissingInvocations, UnlocatedDivergence,
};
use crate::ir::sites::SiteId;
use crate::vm::run;

/// Returns the finding of a barrier that some invocations did not reach.
pub(super) fn finding(
    ran: &ExecutedLaunch<'_>,
    grid: Grid,
    found: &run::Divergence,
    trials: &mut Option<Trials<'_>>,
) -> Finding {
    let program = ran.program;
    let candidates = suggest::divergence(program, found);
    let chosen = match trials {
        Some(trials) => trials.choose_for_divergence(found.site, candidates),
        None => candidates.untried.into(),
    };
    let barrier = barrier(program, found.site);
    let missing = found.missing.iter().map(|&(local, at)| (local, in_source(program, at)));
    let missing = group_by_location(missing).into_iter();
    let mark = SiteText::new(program, found.site, program.source.snippet(barrier.place.span));
    // A guess may decide whether the missing invocations wait at another barrier.
    let others = found.missing.iter().filter_map(|&(_, at)| match at {
        run::InvocationStatus::AtBarrier(site) => Some(site),
        run::InvocationStatus::Returned(_) | run::InvocationStatus::Running(_) => None,
    });
    let doubts = ran.inferred.judge(std::iter::once(found.site).chain(others));
    let finding = Finding {
        fingerprint: fingerprint(Kind::BarrierDivergence, "", vec![mark]),
        what: FindingKind::Divergence(Divergence {
            barrier,
            workgroup: found.workgroup,
            arrived: found.arrived.clone(),
            missing: missing
                .map(|(at, invocations)| MissingInvocations {
                    at: to_location(program, at),
                    invocations,
                })
                .collect(),
        }),
        count: found.count,
        doubts,
        suggestion: Some(chosen.suggestion.clone()),
        fix: chosen.fix.clone(),
        replay: ran.replay(),
        grid,
        shown_with: ran.inferred_values(),
        caused_by: None,
    };
    if let Some(trials) = trials {
        trials.accept(&finding, chosen);
    }
    finding
}

/// Returns the finding of workgroups that diverged in the dispatch with this index, if nothing else is known about the
/// divergence; `None` if no workgroup diverged.
pub(super) fn unlocated_finding(
    ran: &ExecutedLaunch<'_>,
    dispatch: usize,
    diverged: &[u32],
) -> Option<Finding> {
    let program = ran.program;
    let &workgroup = diverged.first()?;
    let entry = ran.launch.dispatches.get(dispatch)?.entry;
    let sites = non_uniform_barriers(program, entry).into_iter().map(|found| found.barrier);
    let sites: Vec<SiteId> = sites.collect();
    let mut barriers: Vec<_> = sites.iter().map(|&site| barrier(program, site)).collect();
    barriers.sort_by_key(|barrier| barrier.place.at);
    // A front end may translate one barrier of the source to several.
    barriers.dedup_by_key(|barrier| barrier.place.at);
    let mark = |site: &SiteId| {
        let span = barrier(program, *site).place.span;
        SiteText::new(program, *site, program.source.snippet(span))
    };
    Some(Finding {
        fingerprint: fingerprint(Kind::BarrierDivergence, "", sites.iter().map(mark).collect()),
        what: FindingKind::UnlocatedDivergence(UnlocatedDivergence { workgroup, barriers }),
        count: diverged.len() as u64,
        doubts: ran.inferred.judge(sites),
        suggestion: None,
        fix: None,
        replay: ran.replay(),
        grid: ran.grid(dispatch),
        shown_with: ran.inferred_values(),
        caused_by: None,
    })
}
