//! Texts of data races.

use super::context::ordered_by;
use super::finding_text::{FindingContext, FindingText, LabeledPlace};
use super::names::{count, invocation, workgroup};
use crate::facts::{Access, Memory, OtherAccess, Place, Race, Relation, Remark, Space};
use crate::ir::access::Action;
use crate::report::label::Label;

/// Returns the texts of a race.
pub(super) fn finding_text(setting: &FindingContext<'_>, race: &Race) -> FindingText {
    let mut message = message(setting.is_possible, &race.memory);
    if race.leads_to.writes_same_value() {
        message += ": all invocations write the same value";
    }
    let Some(other) = &race.other else {
        let (kind, verb) = action(race.first.action);
        let label = Label::new(verb, "here; other access not identified");
        let more = setting.count - 1;
        let more =
            (more > 0).then(|| format!("{} at this site", count(more, "more word", "more words")));
        return FindingText {
            message,
            reason:
                "the race was detected once and did not occur again in the run that logs both accesses"
                    .to_owned(),
            before: more.into_iter().collect(),
            after: Vec::new(),
            last: None,
            places: vec![LabeledPlace { place: race.first.place, kind, label, who: None }],
        };
    };
    let mut before: Vec<String> = other.remarks.iter().map(remark).collect();
    before.extend(same_lines(setting, &other.same_lines));
    before.extend(extent(setting, race, other));
    let is_wider = other.across_workgroups && !race.is_shown_across_workgroups();
    let wider = "the same lines race between workgroups too, which no barrier orders";
    let clamped =
        "an index at these sites is out of bounds and is clamped to the last element here";
    let warning =
        "this is a warning, because the race changes no value: it is an error only with --strict";
    let after = [
        other.clamped.then(|| clamped.to_owned()),
        race.leads_to.writes_same_value().then(|| warning.to_owned()),
    ];
    let after = after.into_iter().flatten().collect();
    FindingText {
        message,
        reason: reason(setting, &race.memory, &other.relation),
        before,
        after,
        last: is_wider.then(|| wider.to_owned()),
        places: vec![pointed(setting, &race.first), pointed(setting, &other.access)],
    }
}

/// Returns the name of an action (`read`, `write` or `atomic`) and its verb in labels.
pub(super) fn action(action: Action) -> (&'static str, &'static str) {
    match action {
        Action::Read => ("read", "read"),
        Action::Write => ("write", "written"),
        Action::Atomic => ("atomic", "accessed atomically"),
        Action::AtomicInWorkgroup => ("atomic", "accessed atomically within its workgroup"),
    }
}

fn pointed(setting: &FindingContext<'_>, access: &Access) -> LabeledPlace {
    let (kind, verb) = action(access.action);
    let who = access.by.map(|by| by.invocation);
    let by = who.map_or("by an unknown invocation".to_owned(), |who| {
        format!("by {}", invocation(&setting.grid, who))
    });
    LabeledPlace { place: access.place, kind, label: Label::new(verb, &by), who }
}

/// Returns the message: ``data race on `tile[16]` (workgroup memory)``.
fn message(is_possible: bool, memory: &Memory) -> String {
    let what = if is_possible { "possible data race" } else { "data race" };
    let space = match memory.space {
        Space::Texture => "texture".to_owned(),
        space => format!("{} memory", space.name()),
    };
    format!("{what} on `{}` ({space})", memory.element)
}

/// Returns the reason why nothing orders the two accesses.
fn reason(setting: &FindingContext<'_>, of: &Memory, relation: &Relation) -> String {
    let FindingContext { context, grid, .. } = setting;
    let memory = ordered_by(of.space.class());
    match relation {
        Relation::Workgroups(both) => {
            let [a, b] = both.map(|linear| workgroup(grid, linear));
            format!("workgroups {a} and {b}: no barrier orders two workgroups")
        }
        Relation::OtherMemory(barrier) => {
            let (text, line) = (context.barrier(barrier), barrier.place.at.line);
            format!("`{text}` at line {line} does not order {memory}")
        }
        Relation::Epoch { last: None, .. } => {
            "both before any barrier: nothing orders them".to_owned()
        }
        Relation::Epoch { epoch, last: Some((barrier, true)) } => format!(
            "both in epoch {epoch} of {memory} (the last barrier passed was line {}): nothing orders them",
            barrier.place.at.line
        ),
        Relation::Epoch { epoch, last: Some((barrier, false)) } => format!(
            "both in epoch {epoch} of {memory} (the last barrier passed, `{}` at line {}, does not order {memory}): nothing orders them",
            context.barrier(barrier),
            barrier.place.at.line
        ),
    }
}

fn remark(remark: &Remark) -> String {
    match remark {
        Remark::WorkgroupScope => {
            "an atomic of workgroup scope is atomic only within its own workgroup".to_owned()
        }
        Remark::AtomicWithPlain => {
            "an atomic access is not ordered with a plain one to the same word".to_owned()
        }
        Remark::Flag { variable, place } => format!(
            "atomics are relaxed: reading `{variable}` at line {} orders no other memory",
            place.at.line
        ),
        Remark::WholeVector => "a write of one component may touch the whole vector".to_owned(),
        Remark::OneSubgroup => {
            "the invocations share a subgroup here, but nothing makes a subgroup run in lockstep"
                .to_owned()
        }
        Remark::SubgroupBarrier => {
            "a subgroup barrier orders the invocations of one subgroup only".to_owned()
        }
    }
}

/// Describes the other racing accesses on the same lines.
fn same_lines(setting: &FindingContext<'_>, places: &[Place]) -> Option<String> {
    if places.is_empty() {
        return None;
    }
    let shown = |place: &Place| {
        let text = setting.context.source.snippet(place.span);
        let at = format!("{}:{}", place.at.line, place.at.column);
        if text.contains('\n') { at } else { format!("`{text}` at {at}") }
    };
    let texts: Vec<String> = places.iter().map(shown).collect();
    let verb = if texts.len() == 1 { "races" } else { "race" };
    Some(format!("on the same lines, {} {verb} too", texts.join(", ")))
}

/// Describes the extent of the race: words, workgroups and dispatches.
fn extent(setting: &FindingContext<'_>, race: &Race, other: &OtherAccess) -> Vec<String> {
    let spread = other.spread;
    let mut notes = Vec::new();
    if setting.count > 1 {
        let same = race.first.site == other.access.site;
        let sites = if same { "at this site" } else { "at these two sites" };
        let mut note = format!("{} {sites}", count(setting.count - 1, "more word", "more words"));
        let all = setting.grid.workgroup_count();
        if race.memory.space == Space::Workgroup && all > 1 {
            note += &match spread.workgroups {
                found if found == all => format!(", in all {all} workgroups"),
                found => format!(", in {found} of {all} workgroups"),
            };
        }
        notes.push(note);
    }
    if spread.of_dispatches > 1 {
        let (first, all) = (spread.dispatch + 1, spread.of_dispatches);
        notes.push(match spread.dispatches {
            1 => format!("in dispatch {first} of {all}"),
            found => format!("in {found} of {all} dispatches, first in dispatch {first}"),
        });
    }
    notes
}
