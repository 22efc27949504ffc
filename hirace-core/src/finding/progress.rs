//! Builds findings from kernels that do not terminate.

use super::executed_launch::ExecutedLaunch;
use super::fingerprint::{SiteText, fingerprint};
use super::invocation_location::{sort_key, to_location};
use super::suggest;
use crate::analysis::endless;
use crate::facts::{
    Finding, FindingKind, Grid, InvocationLocation, Kind, NoProgress, Place, Waiting,
};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::run::{self, Invocation, InvocationStatus};
use std::collections::BTreeMap;

/// Returns the finding of a run that never terminates. Returns `None` if a limit ended the run and it might have
/// terminated later.
pub(super) fn finding(
    ran: &ExecutedLaunch<'_>,
    grid: Grid,
    found: &run::NoProgress,
) -> Option<Finding> {
    let program = ran.program;
    let (stuck, site) = found.stuck;
    if !is_sure(program, found) {
        return None;
    }
    let place = Place::of(program, site);
    let text = program.source.snippet(place.span);
    let mark = SiteText::new(program, site, text.lines().next().unwrap_or(""));
    Some(Finding {
        fingerprint: fingerprint(Kind::NoProgress, "", vec![mark]),
        what: FindingKind::NoProgress(NoProgress {
            place,
            stuck,
            steps: found.steps,
            waiting: waiting(ran, place, found),
            unfinished: found.unfinished,
        }),
        count: 1,
        doubts: ran.inferred.judge([site]),
        suggestion: Some(suggest::progress(program, found)),
        fix: None,
        replay: ran.replay(),
        grid,
        shown_with: ran.inferred_values(),
        caused_by: None,
    })
}

/// Returns whether a run that was ended by a limit would never have terminated.
pub(crate) fn is_sure(program: &Program, found: &run::NoProgress) -> bool {
    found.proven || endless::has_no_exit(program, found.stuck.1)
}

/// Returns one entry for each site at which invocations wait, with the first invocation there. The entries are
/// examples, so their number has no meaning.
fn waiting(ran: &ExecutedLaunch<'_>, stuck: Place, found: &run::NoProgress) -> Vec<Waiting> {
    type BySite = BTreeMap<(u8, Option<SiteId>), (InvocationStatus, Invocation, bool)>;
    let mut by_site: BySite = BTreeMap::new();
    for &(who, at) in &found.waiting {
        if !matches!(at, InvocationStatus::Returned(_)) {
            let known = by_site.entry(sort_key(at));
            known.and_modify(|(_, _, alone)| *alone = false).or_insert((at, who, true));
        }
    }
    let mut lines = vec![stuck.at.line];
    let mut waiting = Vec::new();
    for (at, who, alone) in by_site.into_values() {
        let at = to_location(ran.program, at);
        let line = at.place().map(|place| place.at.line);
        let same_line = matches!(at, InvocationLocation::Running(_))
            && line.is_some_and(|l| lines.contains(&l));
        if !same_line {
            lines.extend(line);
        }
        waiting.push(Waiting { at, invocation: who, is_only: alone, same_line });
    }
    waiting
}
