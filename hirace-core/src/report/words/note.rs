//! Texts of notes.

use super::context::ordered_by;
use super::{Context, error, location, replay_by, spelling};
use crate::facts::{self, Place};
use crate::report::document::Note;

/// Returns a note for the document.
pub fn note(context: Context<'_>, note: &facts::Note) -> Note {
    Note {
        kind: note.kind(),
        message: message(context, note),
        place: error::place(context.source, note.place().span, String::new()),
    }
}

fn message(context: Context<'_>, note: &facts::Note) -> String {
    match note {
        facts::Note::IneffectiveBarrier { barrier, accesses, variable, class } => format!(
            "`{}` at {} orders none of the accesses before and after it: {} `{variable}`, in {}; use `{}` to order them",
            context.barrier(barrier),
            location(context.source, barrier.place),
            lines(accesses),
            ordered_by(*class),
            spelling::barrier(context.language, *class)
        ),
        facts::Note::OrderDependence { atomic, reaches, amplify } => {
            let try_others = amplify
                .as_ref()
                .map(|replay| format!(": `{}` tries other orders", replay_by("amplify", replay)));
            format!(
                "the result of {} at line {} reaches `{reaches}`, so the output may depend on the order of invocations{}",
                called(context.source.snippet(atomic.span)),
                atomic.at.line,
                try_others.unwrap_or_default()
            )
        }
    }
}

/// Returns the subject of a sentence about the lines of two accesses, with its verb.
fn lines([first, second]: &[Place; 2]) -> String {
    match (first.at.line, second.at.line) {
        (first, second) if first == second => format!("line {first} accesses"),
        (first, second) => format!("lines {first} and {second} access"),
    }
}

/// Returns the name of the function that a call calls.
fn called(call: &str) -> String {
    let path = call.split('(').next().unwrap_or_default();
    let name = path.rsplit(['.', ':']).next().unwrap_or_default().trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name { format!("`{name}`") } else { "an atomic operation".to_owned() }
}
