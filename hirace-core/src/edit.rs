//! Edits of a source text.
//!
//! [`place`] inserts and removes statements in the style of the text, and [`diff`] shows what edits change.

pub mod diff;
pub mod place;

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
    locate_edits(text, edits).0
}

/// Returns the text after these edits, which must not overlap, and for each edit in order what it replaces and the span of
/// the replacement in the new text.
pub fn locate_edits(text: &str, edits: &[Edit]) -> (String, Vec<(Span, Span)>) {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort();
    let (mut made, mut at) = (String::with_capacity(text.len() + 16), 0);
    let mut located = Vec::with_capacity(edits.len());
    for edit in edits {
        let range = edit.at.range(text);
        made.push_str(text.get(at..range.start).unwrap_or_default());
        let start = made.len() as u32;
        let after = text.get(range.end..).unwrap_or_default();
        if needs_space(&made, if edit.text.is_empty() { after } else { &edit.text }) {
            made.push(' ');
        }
        made.push_str(&edit.text);
        if needs_space(&edit.text, after) {
            made.push(' ');
        }
        located.push((edit.at, Span::new(start, made.len() as u32)));
        at = range.end;
    }
    made.push_str(text.get(at..).unwrap_or_default());
    (made, located)
}

/// Maps an offset in the text after edits to the text before them. `located` is the result of [`locate_edits`]. An offset in a
/// replacement maps to the begin of what it replaces.
pub fn offset_before(located: &[(Span, Span)], offset: u32) -> u32 {
    let next = located.partition_point(|(_, to)| to.start <= offset);
    match next.checked_sub(1).map(|last| located[last]) {
        None => offset,
        Some((from, to)) if offset < to.end => from.start,
        Some((from, to)) => from.end + (offset - to.end),
    }
}

/// Returns whether the last token of one text and the first of another need a space between them to stay separate
/// tokens: `a*/* b */c` without its `*` would not have a comment, and `return-x` without its `-` would be a name.
fn needs_space(before: &str, after: &str) -> bool {
    let (Some(last), Some(first)) = (before.chars().last(), after.chars().next()) else {
        return false;
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_operator = |c: char| "+-*/%&|^<>=!".contains(c);
    // The ends of two lists of type parameters: no operand begins or ends with `>`.
    let are_ends = last == '>' && first == '>';
    (is_word(last) && is_word(first)) || (is_operator(last) && is_operator(first) && !are_ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_mapped_back() {
        let text = "a = b; c";
        let edits = [Edit::new(Span::new(4, 5), "load(b)"), Edit::new(Span::new(6, 6), " d;")];
        let (changed, located) = locate_edits(text, &edits);
        assert_eq!(changed, "a = load(b); d; c");
        let before = |part: &str| offset_before(&located, changed.find(part).unwrap_or(0) as u32);
        assert_eq!(["a", "load", "b)", ";", "d;", " c"].map(before), [0, 4, 4, 5, 6, 6]);
    }
}
