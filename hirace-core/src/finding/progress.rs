//! Kernels that do not end.

use super::engine::{perhaps, whereabouts_place};
use super::fingerprint::fingerprint;
use super::judge::Case;
use super::place::{line_of, place, span_of};
use super::race::mark;
use super::who::Grid;
use super::{Finding, Kind, Place, mend};
use crate::ir::sites::SiteId;
use crate::vm::run::{Invocation, NoProgress, Whereabouts};
use std::collections::BTreeMap;

/// The finding of a run that was ended by the step limit.
pub(super) fn finding(case: &Case<'_>, grid: &Grid, found: &NoProgress) -> Finding {
    let Case { program, .. } = *case;
    let (who, site) = found.stuck;
    let (certainty, mut notes) = case.guesses.judge([site]);
    let span = span_of(program.sites.get(site));
    let label = format!("{} is still here after {} steps", grid.invocation(who), found.steps);
    let mut accesses = vec![place(&program.source, span, "loop", label, Some((grid, who)))];
    // Of those that wait: one place for each site, with its first invocation. They are examples, so
    // that their number says nothing.
    let mut others: BTreeMap<(u8, SiteId), (Whereabouts, Invocation, bool)> = BTreeMap::new();
    for &(who, at) in &found.waiting {
        let key = match at {
            Whereabouts::AtBarrier(site) => (0, site),
            Whereabouts::Running(site) => (1, site),
            Whereabouts::Returned(_) => continue,
        };
        others.entry(key).and_modify(|(_, _, alone)| *alone = false).or_insert((at, who, true));
    }
    for (at, who, alone) in others.into_values() {
        let names = match alone {
            true => grid.invocation(who),
            false => format!("{} and others", grid.invocation(who)),
        };
        let same = |place: &Place| matches!(at, Whereabouts::Running(other) if line_of(program, other) == place.line);
        match accesses.iter().any(same) {
            true => notes.push(format!("{names} {} there too", if alone { "is" } else { "are" })),
            false => accesses.extend(whereabouts_place(case, grid, at, &names, alone, who)),
        }
    }
    let rule = Kind::NoProgress.code();
    let marks = vec![mark(program, site, accesses[0].snippet.lines().next().unwrap_or(""))];
    Finding {
        rule: rule.to_owned(),
        message: perhaps(
            certainty,
            "the kernel does not end: this loop makes no progress".to_owned(),
        ),
        fingerprint: fingerprint(rule, "", marks),
        certainty,
        kind: Kind::NoProgress,
        hazard: None,
        memory: None,
        count: 1,
        accesses,
        reason: format!(
            "{} not done when the step limit was reached",
            match found.unfinished {
                1 => "1 invocation was".to_owned(),
                n => format!("{n} invocations were"),
            }
        ),
        notes,
        help: Some(mend::progress(program, found)),
        replay: case.replay(),
        across_workgroups: false,
    }
}
