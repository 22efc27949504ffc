//! What could not be done, as the document has it.

use crate::diagnostic::{Cause, Diagnostic};
use crate::report::document;
use crate::source_map::Span;

/// An error with an input of this name, or with none.
pub fn error(input: Option<&str>, error: &Diagnostic) -> document::Error {
    let place = |(span, label): &(Span, String)| {
        let source = error.source_map.as_ref()?;
        let [start, end] = [span.start, span.end].map(|at| source.position(at));
        Some(document::ErrorPlace {
            file: source.file(span.start).to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            snippet: source.snippet(*span).to_owned(),
            label: label.clone(),
        })
    };
    document::Error {
        input: input.map(str::to_owned),
        cause: match error.cause {
            Cause::Input | Cause::NoKernel => document::Cause::Input,
            Cause::Device => document::Cause::Device,
        },
        message: error.message.clone(),
        places: error.labels.iter().filter_map(place).collect(),
        notes: error.notes.clone(),
        help: error.help.clone(),
    }
}
