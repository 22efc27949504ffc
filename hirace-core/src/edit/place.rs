//! Inserts and removes statements in a text, and follows its indentation and line ends.

use crate::edit::Edit;
use crate::source_map::Span;

/// The side of an element on which to insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Before a statement.
    Before,
    /// Before the closing brace of a block, that is, after its last statement.
    Last,
    /// After a statement.
    After,
}

/// A position between statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The offset, in bytes.
    pub at: u32,
    /// The side of the element at the offset.
    pub side: Side,
}

impl Place {
    /// Returns the edit that inserts `statement`, on a line of its own if the element at the position has one.
    pub fn insert(self, text: &str, statement: &str) -> Edit {
        let at = self.at as usize;
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = at + after.find('\n').unwrap_or(after.len());
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indent: &str = &text[line..line + blank(&text[line..end])];
        let is_first = before[line..].trim().is_empty();
        let (offset, inserted) = match self.side {
            Side::Before if is_first => (line, format!("{indent}{statement}{newline}")),
            Side::Last if is_first => {
                let inner = above(&text[..line]).filter(|above| above.len() > indent.len());
                let inner = inner.map_or_else(|| format!("{indent}    "), str::to_owned);
                (line, format!("{inner}{statement}{newline}"))
            }
            Side::Before | Side::Last => (at, format!("{statement} ")),
            Side::After if is_blank_or_comment(&after[..end - at]) => (
                end - usize::from(text[..end].ends_with('\r')),
                format!("{newline}{indent}{statement}"),
            ),
            Side::After => (at, format!(" {statement}")),
        };
        Edit::new(Span::new(offset as u32, offset as u32), inserted)
    }
}

/// Returns the edit that removes a statement, with its line if nothing else is on it.
pub fn remove(text: &str, statement: Span) -> Edit {
    let range = statement.range(text);
    let line = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline + 1);
    let is_alone =
        text[line..range.start].trim().is_empty() && text[range.end..end].trim().is_empty();
    let (start, end) = match is_alone {
        true => (line, end),
        false => (range.start, range.end + usize::from(text[range.end..].starts_with(' '))),
    };
    Edit::new(Span::new(start as u32, end as u32), "")
}

/// Returns whether the rest of a line has only white space and a comment.
fn is_blank_or_comment(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with("//")
}

/// Returns the number of bytes of leading whitespace of a line.
fn blank(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns the indentation of the last non-blank line of a text.
fn above(text: &str) -> Option<&str> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(&line[..blank(line)])
}

/// Maps an offset in the edited text to the text before the edits. Offsets in inserted text map to the position of the
/// insertion.
pub fn before(edits: &[Edit], offset: u32) -> u32 {
    let mut shift = 0i64;
    for edit in edits {
        let start = i64::from(edit.at.start) + shift;
        if i64::from(offset) < start {
            break;
        }
        let inserted = edit.text.len() as i64;
        if i64::from(offset) < start + inserted {
            return edit.at.start;
        }
        shift += inserted - i64::from(edit.at.end - edit.at.start);
    }
    (i64::from(offset) - shift).max(0) as u32
}
