//! Errors, as the document contains them.

use crate::diagnostic::{Cause, Diagnostic};
use crate::report::document;
use crate::source_map::{SourceMap, Span};

/// Converts an error; `input` is the name of the input, if it concerns one.
pub fn error(input: Option<&str>, error: &Diagnostic) -> document::Error {
    document::Error {
        input: input.map(str::to_owned),
        cause: match error.cause {
            Cause::Input | Cause::NoKernel | Cause::Undefined => document::Cause::Input,
            Cause::Device | Cause::Unsupported => document::Cause::Device,
        },
        message: error.message.clone(),
        places: places(error).collect(),
        notes: error.notes.clone(),
        help: error.help.clone(),
    }
}

/// Returns the source locations of a diagnostic.
pub fn places(error: &Diagnostic) -> impl Iterator<Item = document::ErrorPlace> {
    error.labels.iter().filter_map(|(span, label): &(Span, String)| {
        Some(place(error.source_map.as_ref()?, *span, label.clone()))
    })
}

/// Returns the source location of a span.
pub(super) fn place(source: &SourceMap, span: Span, label: String) -> document::ErrorPlace {
    let [start, end] = [span.start, span.end].map(|at| source.position(at));
    document::ErrorPlace {
        file: source.file(span.start).to_owned(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        snippet: source.snippet(span).to_owned(),
        label,
    }
}
