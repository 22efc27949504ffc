//! Texts of the consequences of a race.

use super::context::Context;
use super::names::{count, join_in_sentence};
use crate::facts::{
    DangerousUse, Dependence, Memory, Outcome, Place, RaceConsequences, Reach, SameValue,
};
use crate::report::document;

/// The maximum length of a source text that is shown.
const LONGEST: usize = 60;

/// Returns the consequences as the document contains them; `None` if none is known.
pub(super) fn leads_to(
    context: Context<'_>,
    memory: &Memory,
    words: u64,
    known: &RaceConsequences,
) -> Option<document::RaceConsequences> {
    let RaceConsequences { outcome, reaches, more } = known;
    if outcome.is_none() && reaches.is_empty() {
        return None;
    }
    let mut said = Vec::new();
    // The most dangerous consequence comes first.
    if let Some(reached) = reached(context, reaches, *more) {
        said.push(reached);
    }
    said.extend(outcome.as_ref().map(|outcome| self::outcome(context, memory, words, outcome)));
    Some(document::RaceConsequences {
        outcome: outcome.as_ref().map(|outcome| outcome.name().to_owned()),
        in_this_launch: matches!(outcome, Some(Outcome::SameValue(same)) if !same.always),
        uses: reaches.iter().map(|reach| decided(context, reach)).collect(),
        messages: said,
    })
}

fn outcome(context: Context<'_>, memory: &Memory, words: u64, outcome: &Outcome) -> String {
    match outcome {
        Outcome::SameValue(same) => same_value(same, words),
        Outcome::LostUpdate { load, store, by } => {
            let depends = match by {
                Dependence::Value => "a value computed from it",
                Dependence::Control => "only if its value allows it",
            };
            let line = |place: &Place| place.at.line;
            let (read, written) = match line(load) == line(store) {
                true => (String::new(), format!(" at line {}", line(store))),
                false => (format!(" at line {}", line(load)), format!(" at line {}", line(store))),
            };
            format!(
                "a lost update: both read the same word of `{}`{read} and write {depends}{written}, so one of the two updates may be lost",
                memory.variable
            )
        }
        Outcome::StaleRead { read } => format!(
            "a stale read: {} may see the value from before or after the other access",
            place(context, read)
        ),
    }
}

/// Describes equal values: `equal values: in this launch all wrote 1, which is still a race in the memory model`.
fn same_value(same: &SameValue, words: u64) -> String {
    let SameValue { always, value, words: seen } = *same;
    let value = value.map_or("the same value to each word".to_owned(), |value| value.to_string());
    let what = match always {
        true => format!("all write {value}"),
        false => format!("in this launch all wrote {value}"),
    };
    let where_seen = match !always && seen < words {
        true => format!(" ({} of {words} were traced)", count(seen, "word", "words")),
        false => String::new(),
    };
    format!("equal values: {what}{where_seen}, which is still a race in the memory model")
}

/// Describes the reached locations: ``the value read can determine the index in `tile[k]` at line 22 and whether the
/// loop at line 30 continues``.
fn reached(context: Context<'_>, reaches: &[Reach], more: usize) -> Option<String> {
    let mut parts: Vec<String> = reaches
        .iter()
        .map(|reach| match reach.what {
            DangerousUse::Index => format!("the index in {}", place(context, &reach.place)),
            DangerousUse::LoopBound => {
                format!("whether the loop at line {} continues", reach.place.at.line)
            }
        })
        .collect();
    if more > 0 {
        parts.push(count(more as u64, "more such location", "more such locations"));
    }
    (!parts.is_empty())
        .then(|| format!("the value read can determine {}", join_in_sentence(&parts)))
}

/// Writes a location: `` `tile[k]` at line 22 ``.
fn place(context: Context<'_>, place: &Place) -> String {
    let text = context.source.snippet(place.span);
    let line = place.at.line;
    match !text.is_empty() && text.len() <= LONGEST && !text.contains('\n') {
        true => format!("`{text}` at line {line}"),
        false => format!("the code at line {line}"),
    }
}

fn decided(context: Context<'_>, reach: &Reach) -> document::DangerousUse {
    let Place { span, at } = reach.place;
    let end = context.source.position(span.end);
    document::DangerousUse {
        kind: reach.what.name().to_owned(),
        file: context.source.file(span.start).to_owned(),
        line: at.line,
        column: at.column,
        end_line: end.line,
        end_column: end.column,
        snippet: context.source.snippet(span).to_owned(),
    }
}
