//! Builds findings from data races.

use super::executed_launch::ExecutedLaunch;
use super::fingerprint::{SiteText, fingerprint};
use super::group::{Group, UnidentifiedWords};
use super::{element, reason};
use crate::facts::place::span_of;
use crate::facts::{
    Access, Actor, Finding, FindingKind, Kind, Memory, OtherAccess, Picture, Place,
    RaceConsequences,
};
use crate::facts::{Race, RaceExtent, Relation, Suggestion};
use crate::ir::access::Action;
use crate::ir::sites::SiteId;
use crate::observe::trace::Event;
use crate::program::Program;
use crate::vm::run::OutOfBounds;

/// The number of words of a vector, which is what one clamped index can make race.
const MAX_WORDS_PER_ELEMENT: u64 = 4;

/// Returns the mark of the whole line of `site`. Races are grouped by lines, and the accesses that are shown for a line
/// depend on the launch.
fn line_mark(program: &Program, site: SiteId) -> SiteText {
    let line = program.source.line_at(span_of(program.sites.get(site)).start);
    SiteText::new(program, site, line.split("//").next().unwrap_or(line))
}

fn access(program: &Program, event: &Event) -> Access {
    let Event { invocation, subgroup, epoch, .. } = *event;
    Access {
        site: event.site,
        place: Place::of(program, event.site),
        action: event.action,
        by: Some(Actor { invocation, subgroup, epoch }),
    }
}

/// Returns the finding of a group, with a suggestion only if it is the consequence of an access out of bounds.
pub(crate) fn race(
    ran: &ExecutedLaunch<'_>,
    group: &Group,
    leads_to: RaceConsequences,
    picture: Option<Picture>,
) -> Finding {
    let ExecutedLaunch { program, launch, .. } = *ran;
    let events = group.accesses();
    let mut doubts = ran.inferred.judge([group.pair.earlier.site, group.pair.later.site]);
    let relation = reason::relation(program, &group.pair);
    // No barrier orders accesses of different workgroups.
    if !matches!(relation, Relation::Workgroups(_)) && doubts.is_empty() {
        doubts.extend(ran.inferred.barriers.clone());
    }
    let out_of_bounds = out_of_bounds_here(ran, group);
    // Clamping lets invocations collide on one element, in each instance of the memory. If they collide on more words,
    // clamping is not the cause.
    let instances = group.workgroups.len().max(1) as u64 * group.dispatches.len().max(1) as u64;
    let by_clamping =
        !out_of_bounds.is_empty() && group.words <= MAX_WORDS_PER_ELEMENT.saturating_mul(instances);
    if by_clamping && doubts.is_empty() {
        doubts = ran.inferred.judge_bounds(&out_of_bounds);
    }
    let [first, other] = events.map(|event| access(program, &event));
    let memory = element::memory(program, launch, group.pair.later.granule);
    let marks = events.iter().map(|event| line_mark(program, event.site)).collect();
    let other = OtherAccess {
        access: other,
        relation,
        remarks: reason::remarks(program, &group.pair),
        same_lines: other_columns(program, group),
        spread: RaceExtent {
            workgroups: group.workgroups.len() as u64,
            dispatches: group.dispatches.len(),
            of_dispatches: launch.dispatches.len(),
            dispatch: group.dispatch,
        },
        across_workgroups: group.across_workgroups,
        clamped: !out_of_bounds.is_empty(),
        only_by_clamping: by_clamping,
    };
    Finding {
        fingerprint: fingerprint(Kind::DataRace, &memory.variable, marks),
        what: FindingKind::Race(Race {
            memory,
            first,
            other: Some(other),
            leads_to: Box::new(leads_to),
            picture: picture.map(Box::new),
        }),
        count: group.words,
        doubts,
        suggestion: by_clamping.then_some(Suggestion::FixBoundsFirst),
        fix: None,
        replay: ran.replay(),
        grid: ran.grid(group.dispatch),
        shown_with: ran.inferred_values(),
        caused_by: None,
    }
}

/// Returns the indices out of bounds that the engine saw at the sites of the race.
fn out_of_bounds_here<'a>(ran: &ExecutedLaunch<'a>, group: &Group) -> Vec<&'a OutOfBounds> {
    let memory = Some(group.pair.later.granule.memory);
    let sites = [group.pair.earlier.site, group.pair.later.site];
    let runs = ran.outcome.dispatches.iter().flat_map(|dispatch| &dispatch.run.out_of_bounds);
    runs.filter(|found| found.memory == memory && sites.contains(&found.site)).collect()
}

/// Returns the other racing accesses on the same lines, sorted by line and column.
fn other_columns(program: &Program, group: &Group) -> Vec<Place> {
    let shown = [group.pair.earlier.site, group.pair.later.site];
    let known = shown.map(|site| Place::of(program, site).at);
    let sites = group.sites.iter().flat_map(|&(a, b)| [a, b]);
    let others = sites.filter(|site| !shown.contains(site));
    let mut others: Vec<(Place, SiteId)> = others
        .map(|site| (Place::of(program, site), site))
        .filter(|(place, _)| !known.contains(&place.at))
        .collect();
    others.sort_unstable_by_key(|&(place, site)| (place.at, site));
    others.dedup_by_key(|(place, _)| place.at);
    others.into_iter().map(|(place, _)| place).collect()
}

/// Returns the finding of words whose other access was not identified.
pub(crate) fn unidentified_finding(ran: &ExecutedLaunch<'_>, words: &UnidentifiedWords) -> Finding {
    let ExecutedLaunch { program, launch, .. } = *ran;
    let memory: Memory = element::memory(program, launch, words.granule);
    let action = program.sites.access(words.site).map_or(Action::Write, |access| access.action);
    let place = Place::of(program, words.site);
    let first = Access { site: words.site, place, action, by: None };
    let marks = vec![line_mark(program, words.site)];
    Finding {
        fingerprint: fingerprint(Kind::DataRace, &memory.variable, marks),
        what: FindingKind::Race(Race {
            memory,
            first,
            other: None,
            leads_to: Box::default(),
            picture: None,
        }),
        count: words.words,
        doubts: ran.inferred.judge([words.site]),
        suggestion: None,
        fix: None,
        replay: ran.replay(),
        grid: ran.grid(0),
        shown_with: ran.inferred_values(),
        caused_by: None,
    }
}
