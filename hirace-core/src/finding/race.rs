//! Data races as findings.

use super::fingerprint::{Mark, fingerprint};
use super::group::{Group, Unidentified};
use super::judge::Case;
use super::place::{line_of, place, span_of};
use super::who::{Grid, count};
use super::{Certainty, Finding, Kind, Place, element, mend, reason};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::trace::Event;
use crate::program::Program;
use crate::vm::run::OutOfBounds;

/// `read`, `write` or `atomic`, and how a label says it.
pub(crate) fn action_words(action: Action) -> (&'static str, &'static str) {
    match action {
        Action::Read => ("read", "read"),
        Action::Write => ("write", "written"),
        Action::Atomic => ("atomic", "accessed atomically"),
        Action::AtomicInWorkgroup => ("atomic", "accessed atomically for its workgroup"),
    }
}

/// The place of one access.
fn access_place(program: &Program, grid: &Grid, event: &Event) -> Place {
    let (kind, verb) = action_words(event.action);
    let label = format!("{verb} by {}", grid.invocation(event.invocation));
    let span = span_of(program.sites.get(event.site));
    place(&program.source, span, kind, label, Some((grid, event.invocation)))
}

pub(crate) fn mark(program: &Program, site: SiteId, snippet: &str) -> Mark {
    Mark::new(program, program.sites.get(site).map(|site| site.function), snippet)
}

/// The mark of the whole line that `site` is on. Races are grouped by lines, and which accesses of a
/// line are shown hangs on the launch.
fn line_mark(program: &Program, site: SiteId) -> Mark {
    let line = program.source.line_at(span_of(program.sites.get(site)).start);
    mark(program, site, line.split("//").next().unwrap_or(line))
}

/// ``data race on `tile[16]` (workgroup memory)``.
fn message(certainty: Certainty, memory: &super::Memory) -> String {
    let what = match certainty {
        Certainty::Certain => "data race",
        Certainty::Possible => "possible data race",
    };
    let space =
        if memory.space == "texture" { "texture" } else { &format!("{} memory", memory.space) };
    format!("{what} on `{}` ({space})", memory.element)
}

/// The finding of a group.
pub(crate) fn race(case: &Case<'_>, group: &Group) -> Finding {
    let Case { program, launch, .. } = *case;
    let grid = Grid::of(program, launch, group.dispatch);
    let events = group.accesses();
    let (mut certainty, mut doubts) =
        case.guesses.judge_race(program, launch, group.dispatch, &group.pair);
    let out_of_bounds = out_of_bounds_here(case, group);
    // Clamping makes invocations meet on one element; where they meet on more, they do so without it.
    let by_clamping = !out_of_bounds.is_empty() && group.words <= MOST_WORDS_OF_AN_ELEMENT;
    if by_clamping && certainty == Certainty::Certain {
        (certainty, doubts) = case.guesses.judge_bounds(&out_of_bounds);
    }
    let memory = element::memory(program, launch, group.pair.later.granule);
    let accesses: Vec<Place> = events.iter().map(|e| access_place(program, &grid, e)).collect();
    let marks = events.iter().map(|event| line_mark(program, event.site));
    let mut notes = reason::remarks(program, &group.pair);
    notes.extend(other_columns(program, group));
    notes.extend(extent(case, &grid, group));
    let shown_across =
        group.pair.earlier.invocation.workgroup != group.pair.later.invocation.workgroup;
    if group.across_workgroups && !shown_across {
        notes.push(ACROSS_WORKGROUPS.to_owned());
    }
    notes.extend(doubts);
    let mut help = mend::race(program, launch, group);
    if !out_of_bounds.is_empty() {
        notes.push(
            "an index at these sites is out of bounds and is clamped to the last element here"
                .to_owned(),
        );
        if by_clamping {
            help = Some("mend the access out of bounds first: this race may come of it".to_owned());
        }
    }
    Finding {
        rule: Kind::DataRace.code().to_owned(),
        message: message(certainty, &memory),
        fingerprint: fingerprint(Kind::DataRace.code(), &memory.variable, marks.collect()),
        certainty,
        kind: Kind::DataRace,
        hazard: Some(reason::hazard(&group.pair).to_owned()),
        memory: Some(memory),
        count: group.words,
        accesses,
        reason: reason::reason(program, &grid, &group.pair),
        notes,
        help,
        replay: case.replay(),
        across_workgroups: group.across_workgroups,
    }
}

/// What to add where a race is shown within a workgroup and is one between workgroups too.
pub(crate) const ACROSS_WORKGROUPS: &str =
    "the same lines race between workgroups too, which no barrier orders";

/// The words of a vector: what one clamped index can make race.
const MOST_WORDS_OF_AN_ELEMENT: u64 = 4;

/// The indices out of bounds that the engine saw at the sites of the race.
fn out_of_bounds_here<'a>(case: &Case<'a>, group: &Group) -> Vec<&'a OutOfBounds> {
    let memory = Some(group.pair.later.granule.memory);
    let sites = [group.pair.earlier.site, group.pair.later.site];
    let runs = case.outcome.dispatches.iter().flat_map(|dispatch| &dispatch.run.out_of_bounds);
    runs.filter(|found| found.memory == memory && sites.contains(&found.site)).collect()
}

/// The other accesses on the same lines that race.
fn other_columns(program: &Program, group: &Group) -> Option<String> {
    let shown = [group.pair.earlier.site, group.pair.later.site];
    let column =
        |site: SiteId| program.source.position(span_of(program.sites.get(site)).start).column;
    let known = shown.map(|site| (line_of(program, site), column(site)));
    let mut others: Vec<(u32, u32, SiteId)> = group
        .sites
        .iter()
        .flat_map(|&(a, b)| [a, b])
        .filter(|site| !shown.contains(site))
        .map(|site| (line_of(program, site), column(site), site))
        .filter(|&(line, column, _)| !known.contains(&(line, column)))
        .collect();
    others.sort_unstable();
    others.dedup_by_key(|&mut (line, column, _)| (line, column));
    if others.is_empty() {
        return None;
    }
    let texts: Vec<String> = others
        .iter()
        .map(|&(line, column, site)| {
            let text = program.source.snippet(span_of(program.sites.get(site)));
            match text.contains('\n') {
                true => format!("{line}:{column}"),
                false => format!("`{text}` at {line}:{column}"),
            }
        })
        .collect();
    let verb = if texts.len() == 1 { "races" } else { "race" };
    Some(format!("on the same lines, {} {verb} too", texts.join(", ")))
}

/// How far the race goes: words, workgroups, dispatches.
fn extent(case: &Case<'_>, grid: &Grid, group: &Group) -> Vec<String> {
    let mut notes = Vec::new();
    let same = group.pair.earlier.site == group.pair.later.site;
    if group.words > 1 {
        let sites = if same { "at this site" } else { "at these two sites" };
        let mut note = format!("{} {sites}", count(group.words - 1, "more word", "more words"));
        let memory = element::variable(case.program, group.pair.later.granule.memory);
        let workgroup = memory.is_some_and(|(_, global)| element::space(global) == "workgroup");
        if workgroup && grid.workgroup_count() > 1 {
            let (found, all) = (group.workgroups.len() as u64, grid.workgroup_count());
            note += &match found == all {
                true => format!(", in all {all} workgroups"),
                false => format!(", in {found} of {all} workgroups"),
            };
        }
        notes.push(note);
    }
    let dispatches = case.launch.dispatches.len();
    if dispatches > 1 {
        notes.push(match group.dispatches.len() {
            1 => format!("in dispatch {} of {dispatches}", group.dispatch + 1),
            found => format!(
                "in {found} of {dispatches} dispatches, first in number {}",
                group.dispatch + 1
            ),
        });
    }
    notes
}

/// The finding of words whose other access was not seen again.
pub(crate) fn unidentified(case: &Case<'_>, words: &Unidentified) -> Finding {
    let Case { program, launch, .. } = *case;
    let (certainty, mut notes) = case.guesses.judge([words.site]);
    let memory = element::memory(program, launch, words.granule);
    let action = program.sites.access(words.site).map_or(Action::Write, |access| access.action);
    let span = span_of(program.sites.get(words.site));
    let (kind, verb) = action_words(action);
    let label = format!("{verb} here; other access not identified");
    let at = place(&program.source, span, kind, label, None);
    let marks = vec![line_mark(program, words.site)];
    if words.words > 1 {
        notes.insert(
            0,
            format!("{} at this site", count(words.words - 1, "more word", "more words")),
        );
    }
    Finding {
        rule: Kind::DataRace.code().to_owned(),
        message: message(certainty, &memory),
        fingerprint: fingerprint(Kind::DataRace.code(), &memory.variable, marks),
        certainty,
        kind: Kind::DataRace,
        hazard: None,
        memory: Some(memory),
        count: words.words,
        accesses: vec![at],
        reason: "the race was seen once and did not show again in the run that logs both accesses"
            .to_owned(),
        notes,
        help: None,
        replay: case.replay(),
        across_workgroups: false,
    }
}
