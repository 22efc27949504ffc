//! What a fixture says about its own lines, in the style of rust-analyzer:
//!
//! ```text
//!     tile[lane] += 1u;
//! //  ^^^^^^^^^^ read
//! //  ^^^^^^^^^^ write
//! ```
//!
//! Carets are under the first and the last character of what they are about, in the last line above
//! that is no annotation itself. What goes on in further lines is marked up to the end of its first.

use hirace::raw::source_map::{SourceMap, Span};

/// Something said about a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// The line, from 1.
    pub line: u32,
    /// The first column, from 1.
    pub start: u32,
    /// The column past the last.
    pub end: u32,
    /// What stands after the carets.
    pub text: String,
}

impl Annotation {
    /// What the annotation of `span` in `source` would be.
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

/// All annotations of a text.
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
