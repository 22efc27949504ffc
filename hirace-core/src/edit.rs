//! Edits of a source.

use crate::source_map::Span;

/// A stretch of a source, and what is to stand there instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What is replaced; empty, where something is put in.
    pub at: Span,
    /// What stands there then.
    pub text: String,
}

impl Edit {
    /// `at` becomes `text`.
    pub fn new(at: Span, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }
}

/// The text with these edits, which do not overlap.
pub fn edited(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort();
    let (mut made, mut at) = (String::with_capacity(text.len() + 16), 0);
    for edit in edits {
        let range = edit.at.range(text);
        made.push_str(text.get(at..range.start).unwrap_or_default());
        let after = text.get(range.end..).unwrap_or_default();
        if runs_together(&made, if edit.text.is_empty() { after } else { &edit.text }) {
            made.push(' ');
        }
        made.push_str(&edit.text);
        if runs_together(&edit.text, after) {
            made.push(' ');
        }
        at = range.end;
    }
    made.push_str(text.get(at..).unwrap_or_default());
    made
}

/// Whether the last token of one text and the first of another would be taken for something else without a space:
/// `a*/* b */c` is no comment with a `/` for its `*`, and `return-x` without its `-` is no name.
fn runs_together(before: &str, after: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().last(), after.chars().next()) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_operator = |c: char| "+-*/%&|^<>=!".contains(c);
    (is_word(last) && is_word(first)) || (is_operator(last) && is_operator(first))
}
