//! Barriers that not all invocations of a workgroup reach.

use super::engine::{by_whereabouts, in_source, perhaps, whereabouts_place};
use super::fingerprint::fingerprint;
use super::judge::Case;
use super::place::{place, span_of};
use super::race::mark;
use super::who::{Grid, count, invocations};
use super::{Finding, Kind, mend, reason};
use crate::vm::run::{Divergence, Invocation};

/// The finding of a barrier that some invocations did not reach.
pub(super) fn finding(case: &Case<'_>, grid: &Grid, found: &Divergence) -> Finding {
    let Case { program, .. } = *case;
    let barrier = reason::barrier_text(program, found.site);
    let (certainty, mut notes) = case.guesses.judge([found.site]);
    let all = grid.invocations_a_workgroup();
    let first = Invocation {
        workgroup: found.workgroup,
        local: found.arrived.first().copied().unwrap_or(0),
    };
    let mut arrived = found.arrived.clone();
    arrived.sort_unstable();
    let verb = if arrived.len() == 1 { "waits" } else { "wait" };
    let label = format!(
        "{} of workgroup {} {verb} here",
        invocations(&arrived),
        grid.workgroup(found.workgroup)
    );
    let span = span_of(program.sites.get(found.site));
    let mut accesses = vec![place(&program.source, span, "barrier", label, Some((grid, first)))];
    let missing =
        by_whereabouts(found.missing.iter().map(|&(local, at)| (local, in_source(program, at))));
    let mut absent: Vec<u32> = found.missing.iter().map(|&(local, _)| local).collect();
    absent.sort_unstable();
    for (at, locals) in &missing {
        let who = Invocation { workgroup: found.workgroup, local: locals[0] };
        match whereabouts_place(case, grid, *at, &invocations(locals), locals.len() == 1, who) {
            Some(place) => accesses.push(place),
            None => {
                notes.push(format!("{} ran to the end of the entry point", invocations(locals)))
            }
        }
    }
    if found.count > 1 {
        notes
            .push(format!("{} at this barrier", count(found.count - 1, "more time", "more times")));
    }
    let rule = Kind::BarrierDivergence.code();
    let marks = vec![mark(program, found.site, &accesses[0].snippet)];
    Finding {
        rule: rule.to_owned(),
        message: perhaps(
            certainty,
            format!("`{barrier}` is not reached by all invocations of the workgroup"),
        ),
        fingerprint: fingerprint(rule, "", marks),
        certainty,
        kind: Kind::BarrierDivergence,
        hazard: None,
        memory: None,
        count: found.count,
        accesses,
        reason: format!(
            "a barrier must be reached by all {all} invocations of the workgroup; {} did not come here",
            invocations(&absent)
        ),
        notes,
        help: Some(mend::divergence(program, found)),
        replay: case.replay(),
        across_workgroups: false,
    }
}
