//! What can come of a race, in words.

use super::context::Context;
use super::who::count;
use crate::facts::{Decided, Dependence, LeadsTo, Memory, Outcome, Place, Reach, SameValue};
use crate::report::document;

/// The longest text of a place that is shown.
const LONGEST: usize = 60;

/// What the document says of it; `None` if nothing is known.
pub(super) fn leads_to(
    context: Context<'_>,
    memory: &Memory,
    words: u64,
    known: &LeadsTo,
) -> Option<document::LeadsTo> {
    let LeadsTo { outcome, reaches, more } = known;
    if outcome.is_none() && reaches.is_empty() {
        return None;
    }
    let mut said = Vec::new();
    // The worst stands first.
    if let Some(reached) = reached(context, reaches, *more) {
        said.push(reached);
    }
    said.extend(outcome.as_ref().map(|outcome| self::outcome(context, memory, words, outcome)));
    Some(document::LeadsTo {
        outcome: outcome.as_ref().map(|outcome| outcome.name().to_owned()),
        in_this_launch: matches!(outcome, Some(Outcome::SameValue(same)) if !same.always),
        reaches: reaches.iter().map(|reach| decided(context, reach)).collect(),
        said,
    })
}

fn outcome(context: Context<'_>, memory: &Memory, words: u64, outcome: &Outcome) -> String {
    match outcome {
        Outcome::SameValue(same) => same_value(same, words),
        Outcome::LostUpdate { load, store, by } => {
            let depends = match by {
                Dependence::Value => "what is made of that",
                Dependence::Control => "only if that allows it",
            };
            let line = |place: &Place| place.at.line;
            let (read, written) = match line(load) == line(store) {
                true => (String::new(), format!(" at line {}", line(store))),
                false => (format!(" at line {}", line(load)), format!(" at line {}", line(store))),
            };
            format!(
                "a lost update: both read the same word of `{}`{read} and write {depends}{written}, so one of the two may be overwritten unseen",
                memory.variable
            )
        }
        Outcome::StaleRead { read } => format!(
            "a stale read: {} may see the value from before the other access or from after it",
            place(context, read)
        ),
    }
}

/// ``the same value by all: in this launch all wrote 1, which makes it no less a race``.
fn same_value(same: &SameValue, words: u64) -> String {
    let SameValue { always, value, words: seen } = *same;
    let value = value.map_or("the same to each word".to_owned(), |value| value.to_string());
    let what = match always {
        true => format!("all write {value}"),
        false => format!("in this launch all wrote {value}"),
    };
    let where_seen = match !always && seen < words {
        true => format!(" ({} of {words} were looked at)", count(seen, "word", "words")),
        false => String::new(),
    };
    format!(
        "the same value by all: {what}{where_seen}, which by the memory model is a race all the same"
    )
}

/// ``the value decides the index at line 22, `tile[k]`, and whether the loop at line 30 ends``.
fn reached(context: Context<'_>, reaches: &[Reach], more: usize) -> Option<String> {
    let mut parts: Vec<String> = reaches
        .iter()
        .map(|reach| match reach.what {
            Decided::Index => format!("the index in {}", place(context, &reach.place)),
            Decided::LoopBound => {
                format!("whether the loop at line {} goes on", reach.place.at.line)
            }
        })
        .collect();
    if more > 0 {
        parts.push(count(more as u64, "more such place", "more such places"));
    }
    let last = parts.pop()?;
    let list = match parts.is_empty() {
        true => last,
        false => format!("{} and {last}", parts.join(", ")),
    };
    Some(format!("what is read can decide {list}"))
}

/// `` `tile[k]` at line 22 ``.
fn place(context: Context<'_>, place: &Place) -> String {
    let text = context.source.snippet(place.span);
    let line = place.at.line;
    match !text.is_empty() && text.len() <= LONGEST && !text.contains('\n') {
        true => format!("`{text}` at line {line}"),
        false => format!("what stands at line {line}"),
    }
}

fn decided(context: Context<'_>, reach: &Reach) -> document::Reach {
    let Place { span, at } = reach.place;
    let end = context.source.position(span.end);
    document::Reach {
        kind: reach.what.name().to_owned(),
        file: context.source.file(span.start).to_owned(),
        line: at.line,
        column: at.column,
        end_line: end.line,
        end_column: end.column,
        snippet: context.source.snippet(span).to_owned(),
    }
}
