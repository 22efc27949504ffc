//! The expected findings that a fixture states below its own lines, in the style of rust-analyzer:
//!
//! ```text
//!     tile[lane] += 1u;
//! //  ^^^^^^^^^^ read
//! //  ^^^^^^^^^^ write
//! ```
//!
//! Carets mark the first to the last character of a span in the last preceding line that is not an annotation itself. A span of
//! several lines is marked up to the end of its first line.

use hirace::raw::source_map::{SourceMap, Span};

/// An expected text at a span of one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// The line number, from 1.
    pub line: u32,
    /// The first column, from 1.
    pub start: u32,
    /// The column after the last one.
    pub end: u32,
    /// The text after the carets.
    pub text: String,
}

impl Annotation {
    /// Returns the annotation that would mark `span` in `source` with `text`.
    pub fn of(source: &SourceMap, span: Span, text: impl Into<String>) -> Self {
        let (from, to) = (source.position(span.start), source.position(span.end));
        let end = if from.line == to.line {
            to.column
        } else {
            source.line(from.line).trim_end().chars().count() as u32 + 1
        };
        Self { line: from.line, start: from.column, end, text: text.into() }
    }
}

/// Returns all annotations of a text.
pub fn all(text: &str) -> Vec<Annotation> {
    let mut annotations = Vec::new();
    let mut about = 0;
    for (line, number) in text.lines().zip(1..) {
        let carets = line.trim_start().strip_prefix("//").map(str::trim_start);
        match carets.filter(|rest| rest.starts_with('^')) {
            Some(carets) => {
                let said = carets.trim_start_matches('^');
                let column = |rest: &str| (line.chars().count() - rest.chars().count()) as u32 + 1;
                annotations.push(Annotation {
                    line: about,
                    start: column(carets),
                    end: column(said),
                    text: said.trim().to_owned(),
                });
            }
            None => about = number,
        }
    }
    annotations
}
