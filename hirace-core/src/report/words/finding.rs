//! Converts findings to text, as the document contains them.

use super::assumption::field;
use super::context::Context;
use super::doubt::doubt;
use super::finding_text::{FindingContext, FindingText, LabeledPlace};
use super::host::host;
use super::picture::to_small_json;
use super::race_consequences::leads_to;
use super::replay::replay;
use super::suggestion::suggestion;
use super::{assertion, bounds, divergence, progress, race};
use crate::edit::Edit;
use crate::facts::{CauseLink, Certainty, Doubt, FieldValue, Finding, FindingKind, Fix, Grid};
use crate::report::document;
use crate::source_map::SourceMap;

/// The maximum number of guessed values that a finding lists.
const MAX_VALUES: usize = 8;

/// Returns the finding as the document contains it.
pub fn finding(context: Context<'_>, finding: &Finding) -> document::Finding {
    let (kind, certainty) = (finding.kind(), finding.certainty());
    let setting = FindingContext {
        context,
        grid: finding.grid,
        count: finding.count,
        is_possible: certainty == Certainty::Possible,
    };
    let FindingText { message, reason, before, after, last, places } = match &finding.what {
        FindingKind::Race(found) => race::finding_text(&setting, found),
        FindingKind::Divergence(found) => divergence::finding_text(&setting, found),
        FindingKind::UnlocatedDivergence(found) => {
            divergence::unlocated_finding_text(&setting, found)
        }
        FindingKind::OutOfBounds(found) => bounds::finding_text(&setting, found),
        FindingKind::NoProgress(found) => progress::finding_text(&setting, found),
        FindingKind::Assertion(found) => assertion::finding_text(&setting, found),
    };
    let (of_launch, of_sites): (Vec<&Doubt>, Vec<&Doubt>) =
        finding.doubts.iter().partition(|doubt| doubt.is_of_launch());
    let doubts = |of: Vec<&Doubt>| of.into_iter().map(doubt).collect::<Vec<_>>();
    let last = last.into_iter().collect();
    let shown = values(&finding.shown_with);
    let (of_sites, of_launch) = (doubts(of_sites), doubts(of_launch));
    let hangs_on = [&of_sites[..], &shown, &of_launch].concat();
    let dispatched = context.host.map(host).into_iter().collect();
    let notes = [before, of_sites, shown, after, of_launch, last, dispatched];
    document::Finding {
        rule: kind.code().to_owned(),
        message,
        fingerprint: finding.fingerprint.to_string(),
        severity: finding.severity(),
        certainty,
        kind,
        hazard: finding.race().and_then(|race| race.hazard()).map(|h| h.name().to_owned()),
        memory: finding.memory().map(|memory| document::Memory {
            space: memory.space.name().to_owned(),
            variable: memory.variable.clone(),
            index: memory.index,
            element: memory.element.clone(),
        }),
        count: finding.count,
        accesses: places.into_iter().map(|at| place(context, &finding.grid, at)).collect(),
        reason,
        caused_by: None,
        causes: Vec::new(),
        leads_to: finding
            .race()
            .and_then(|race| leads_to(context, &race.memory, finding.count, &race.leads_to)),
        words: finding.race().and_then(|race| to_small_json(context, race.picture.as_ref()?)),
        picture: finding.race().and_then(|race| race.picture.as_deref().cloned()),
        guesses: hangs_on,
        notes: notes.concat(),
        help: finding.suggestion.as_ref().map(|suggested| suggestion(context, suggested)),
        fix: finding
            .fix
            .as_ref()
            .filter(|_| certainty == Certainty::Certain)
            .map(|fix| document::Fix { edits: edits(context.source, fix) }),
        replay: finding.replay.as_ref().map(replay),
    }
}

fn edits(source: &SourceMap, fix: &Fix) -> Vec<document::Edit> {
    let edit = |edit: &Edit| {
        let [start, end] = [edit.at.start, edit.at.end].map(|offset| source.position(offset));
        document::Edit {
            file: source.file(edit.at.start).to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            remove: source.snippet(edit.at).to_owned(),
            insert: edit.text.clone(),
        }
    };
    fix.edits.iter().map(edit).collect()
}

/// Describes a finding that another one causes. `described` is the same finding in words.
pub fn caused(
    finding: &Finding,
    link: CauseLink,
    described: &document::Finding,
) -> document::CausedFinding {
    let mut lines = finding.lines();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    let at = match &lines[..] {
        [line] => format!("at line {line}"),
        lines => format!("at lines {}", lines.join(" and ")),
    };
    let (name, how) = match link {
        CauseLink::Clamping => ("clamping", "because the index is clamped"),
        CauseLink::SameChange => ("same-change", "which the same change removes"),
    };
    let rule = &described.rule;
    document::CausedFinding {
        rule: rule.clone(),
        fingerprint: described.fingerprint.clone(),
        link: name.to_owned(),
        message: format!("{} {at}, {how} ({rule})", described.message),
    }
}

/// Describes the guessed values.
fn values(shown_with: &[FieldValue]) -> Vec<String> {
    if shown_with.is_empty() {
        return Vec::new();
    }
    let mut shown: Vec<String> = shown_with.iter().take(MAX_VALUES).map(field).collect();
    let more = shown_with.len().saturating_sub(MAX_VALUES);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    vec![format!("shown with {}, which were guessed", shown.join(", "))]
}

fn place(context: Context<'_>, grid: &Grid, pointed: LabeledPlace) -> document::Place {
    let LabeledPlace { place, kind, label, who } = pointed;
    let end = context.source.position(place.span.end);
    document::Place {
        kind: kind.to_owned(),
        file: context.source.file(place.span.start).to_owned(),
        line: place.at.line,
        column: place.at.column,
        end_line: end.line,
        end_column: end.column,
        snippet: context.source.snippet(place.span).to_owned(),
        label,
        workgroup: who.map(|who| grid.workgroup_id(who.workgroup)),
        invocation: who.map(|who| grid.local_id(who.local)),
    }
}
