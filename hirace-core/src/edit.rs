//! Edits of a source text.

use crate::source_map::Span;

/// The replacement of a range of a source by a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The range to replace; empty for an insertion.
    pub at: Span,
    /// The replacement.
    pub text: String,
}

impl Edit {
    /// Creates the edit that replaces `at` by `text`.
    pub fn new(at: Span, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }
}

/// Returns the text after these edits, which must not overlap.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort();
    let (mut made, mut at) = (String::with_capacity(text.len() + 16), 0);
    for edit in edits {
        let range = edit.at.range(text);
        made.push_str(text.get(at..range.start).unwrap_or_default());
        let after = text.get(range.end..).unwrap_or_default();
        if needs_space(&made, if edit.text.is_empty() { after } else { &edit.text }) {
            made.push(' ');
        }
        made.push_str(&edit.text);
        if needs_space(&edit.text, after) {
            made.push(' ');
        }
        at = range.end;
    }
    made.push_str(text.get(at..).unwrap_or_default());
    made
}

/// Returns whether the last token of one text and the first of another need a space between them to stay separate
/// tokens: `a*/* b */c` without its `*` would not have a comment, and `return-x` without its `-` would be a name.
fn needs_space(before: &str, after: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().last(), after.chars().next()) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_operator = |c: char| "+-*/%&|^<>=!".contains(c);
    (is_word(last) && is_word(first)) || (is_operator(last) && is_operator(first))
}
