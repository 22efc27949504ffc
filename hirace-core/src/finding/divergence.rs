//! Barriers that not all invocations of a workgroup reach.

use super::barriers::barrier;
use super::fingerprint::{Mark, fingerprint};
use super::ran::Ran;
use super::suggest;
use super::whereabouts::{by_whereabouts, elsewhere, in_source};
use crate::facts::{Divergence, Finding, FindingKind, Grid, Kind, Missing};
use crate::vm::run;

/// The finding of a barrier that some invocations did not reach.
pub(super) fn finding(ran: &Ran<'_>, grid: Grid, found: &run::Divergence) -> Finding {
    let program = ran.program;
    let barrier = barrier(program, found.site);
    let missing = found.missing.iter().map(|&(local, at)| (local, in_source(program, at)));
    let missing = by_whereabouts(missing).into_iter();
    let mark = Mark::new(program, found.site, program.source.snippet(barrier.place.span));
    Finding {
        fingerprint: fingerprint(Kind::BarrierDivergence, "", vec![mark]),
        what: FindingKind::Divergence(Divergence {
            barrier,
            workgroup: found.workgroup,
            arrived: found.arrived.clone(),
            missing: missing
                .map(|(at, invocations)| Missing { at: elsewhere(program, at), invocations })
                .collect(),
        }),
        count: found.count,
        doubts: ran.guesses.judge([found.site]),
        suggestion: Some(suggest::divergence(program, found)),
        replay: ran.replay(),
        grid,
    }
}
