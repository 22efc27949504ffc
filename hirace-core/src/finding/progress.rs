//! Builds findings from kernels that do not terminate.

use super::fingerprint::{Mark, fingerprint};
use super::ran::Ran;
use super::suggest;
use super::whereabouts::{elsewhere, order};
use crate::analysis::endless;
use crate::facts::{Elsewhere, Finding, FindingKind, Grid, Kind, NoProgress, Place, Waiting};
use crate::ir::sites::SiteId;
use crate::program::Program;
use crate::vm::run::{self, Invocation, Whereabouts};
use std::collections::BTreeMap;

/// Returns the finding of a run that never terminates. Returns `None` if a limit ended the run and it might have
/// terminated later.
pub(super) fn finding(ran: &Ran<'_>, grid: Grid, found: &run::NoProgress) -> Option<Finding> {
    let program = ran.program;
    let (stuck, site) = found.stuck;
    if !is_sure(program, found) {
        return None;
    }
    let place = Place::of(program, site);
    let text = program.source.snippet(place.span);
    let mark = Mark::new(program, site, text.lines().next().unwrap_or(""));
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
        doubts: ran.guesses.judge([site]),
        suggestion: Some(suggest::progress(program, found)),
        replay: ran.replay(),
        grid,
        shown_with: ran.guessed_values(),
    })
}

/// Returns whether a run that was ended by a limit would never have terminated.
pub(crate) fn is_sure(program: &Program, found: &run::NoProgress) -> bool {
    found.proven || endless::has_no_way_out(program, found.stuck.1)
}

/// Returns one entry for each site at which invocations wait, with the first invocation there. The entries are
/// examples, so their number has no meaning.
fn waiting(ran: &Ran<'_>, stuck: Place, found: &run::NoProgress) -> Vec<Waiting> {
    type BySite = BTreeMap<(u8, Option<SiteId>), (Whereabouts, Invocation, bool)>;
    let mut by_site: BySite = BTreeMap::new();
    for &(who, at) in &found.waiting {
        if !matches!(at, Whereabouts::Returned(_)) {
            let known = by_site.entry(order(at));
            known.and_modify(|(_, _, alone)| *alone = false).or_insert((at, who, true));
        }
    }
    let mut lines = vec![stuck.at.line];
    let mut waiting = Vec::new();
    for (at, who, alone) in by_site.into_values() {
        let at = elsewhere(ran.program, at);
        let line = at.place().map(|place| place.at.line);
        let same_line =
            matches!(at, Elsewhere::Running(_)) && line.is_some_and(|l| lines.contains(&l));
        if !same_line {
            lines.extend(line);
        }
        waiting.push(Waiting { at, who, alone, same_line });
    }
    waiting
}
