//! Text with source locations in Rust, from which the output is assembled.

use crate::map::{Entry, EntryKind, Map};
use crate::source_map::{LineColumn, Span};
use crate::tree::Place;

/// A range of a text that was generated from `place`.
#[derive(Clone, Copy, Debug)]
struct Mark {
    start: usize,
    end: usize,
    place: Place,
    nature: EntryKind,
}

/// WGSL text with marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    string: String,
    marks: Vec<Mark>,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { string: text.to_owned(), marks: Vec::new() }
    }
}

impl From<String> for Text {
    fn from(string: String) -> Self {
        Self { string, marks: Vec::new() }
    }
}

impl Text {
    /// Returns the text without marks.
    pub(super) fn as_str(&self) -> &str {
        &self.string
    }

    /// Appends text without a source location of its own.
    pub(super) fn str(mut self, text: &str) -> Self {
        self.string.push_str(text);
        self
    }

    /// Returns the text with another one appended.
    pub(super) fn text(mut self, other: &Self) -> Self {
        self.push(other);
        self
    }

    /// Appends another text.
    pub(super) fn push(&mut self, other: &Self) {
        let by = self.string.len();
        self.string.push_str(&other.string);
        let moved = |mark: &Mark| Mark { start: mark.start + by, end: mark.end + by, ..*mark };
        self.marks.extend(other.marks.iter().map(moved));
    }

    /// Marks the whole text as generated from `place`.
    pub(super) fn at(self, place: Place) -> Self {
        self.marked(place, EntryKind::Code)
    }

    /// Marks the whole text as an access to `place`, which is atomic only in WGSL.
    pub(super) fn plain_at(self, place: Place) -> Self {
        self.marked(place, EntryKind::Plain)
    }

    /// Marks the whole text as generated from `place`, with this nature.
    pub(super) fn marked(mut self, place: Place, nature: EntryKind) -> Self {
        self.marks.push(Mark { start: 0, end: self.string.len(), place, nature });
        self
    }

    /// Returns the text and its source map.
    pub(super) fn finish(self) -> (String, Map) {
        let mut files: Vec<String> = Vec::new();
        let mut entries: Vec<Entry> = self
            .marks
            .iter()
            .map(|mark| {
                let name = mark.place.first.file();
                let known = files.iter().position(|file| *file == name);
                let file = known.unwrap_or_else(|| {
                    files.push(name);
                    files.len() - 1
                });
                Entry { file: file as u32, ..entry(mark) }
            })
            .collect();
        // Of two marks with the same extent, the earlier one is the inner one.
        entries.reverse();
        entries.sort_by_key(|entry| (entry.wgsl.start, std::cmp::Reverse(entry.wgsl.end)));
        (self.string, Map { entries, files })
    }
}

fn entry(mark: &Mark) -> Entry {
    let position = |at: proc_macro2::LineColumn| LineColumn {
        line: at.line as u32,
        column: at.column as u32 + 1,
    };
    Entry {
        wgsl: Span::new(mark.start as u32, mark.end as u32),
        start: position(mark.place.first.start()),
        end: position(mark.place.last.end()),
        kind: mark.nature,
        file: 0,
    }
}

/// A sequence of statements, each of one or more lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    text: Text,
    /// Whether the end is unreachable. Lines that are added after that are dropped.
    pub(super) ended: bool,
}

impl Lines {
    /// Returns whether there are no statements.
    pub(super) fn is_empty(&self) -> bool {
        self.text.string.is_empty() && !self.ended
    }

    /// Adds a line.
    pub(super) fn line(&mut self, depth: usize, line: &Text) {
        if self.ended {
            return;
        }
        for _ in 0..depth {
            self.text.string.push_str("    ");
        }
        self.text.push(line);
        self.text.string.push('\n');
    }

    /// Returns the offset at which the next line will start.
    pub(super) fn next(&self, depth: usize) -> usize {
        self.text.string.len() + 4 * depth
    }

    /// Marks the lines from `start` on as generated from `place`.
    pub(super) fn mark(&mut self, start: usize, place: Place) {
        self.mark_as(start, place, EntryKind::Code);
    }

    /// Marks the lines from `start` on as generated from `place`, with this nature.
    pub(super) fn mark_as(&mut self, start: usize, place: Place, nature: EntryKind) {
        let end = self.text.string.trim_end().len();
        if start < end {
            self.text.marks.push(Mark { start, end, place, nature });
        }
    }

    /// Adds inner lines. The end stays reachable even if theirs is not.
    pub(super) fn nest(&mut self, inner: &Self) {
        if !self.ended {
            self.text.push(&inner.text);
        }
    }

    /// Appends lines. The end becomes unreachable if theirs is.
    pub(super) fn append(&mut self, next: &Self) {
        self.nest(next);
        self.ended |= next.ended;
    }

    /// Returns the text of the lines.
    pub(super) fn into_text(self) -> Text {
        self.text
    }
}
