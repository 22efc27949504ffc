//! Text with the Rust it was made from: what is printed is put together from these.

use crate::front::rust::map::{Entry, Map, Nature};
use crate::front::rust::tree::Place;
use crate::source_map::{LineColumn, Span};

/// A stretch of a text that was made from `place`.
#[derive(Clone, Copy, Debug)]
struct Mark {
    start: usize,
    end: usize,
    place: Place,
    nature: Nature,
}

/// WGSL text.
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
    /// The text alone.
    pub(super) fn as_str(&self) -> &str {
        &self.string
    }

    /// Appends what has no place of its own.
    pub(super) fn str(mut self, text: &str) -> Self {
        self.string.push_str(text);
        self
    }

    /// Appends another text.
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

    /// Says that all of this was made from `place`.
    pub(super) fn at(self, place: Place) -> Self {
        self.marked(place, Nature::Code)
    }

    /// Says that all of this is a read or write of `place`, which is atomic in WGSL alone.
    pub(super) fn plain_at(self, place: Place) -> Self {
        self.marked(place, Nature::Plain)
    }

    /// Says what all of this is, and that it was made from `place`.
    pub(super) fn marked(mut self, place: Place, nature: Nature) -> Self {
        self.marks.push(Mark { start: 0, end: self.string.len(), place, nature });
        self
    }

    /// The text and its map.
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
        // Of two of the same extent, the one that was marked first is the inner one.
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
        nature: mark.nature,
        file: 0,
    }
}

/// Statements, a line or several each.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    text: Text,
    /// Whether control cannot come to their end. What is added then is left out.
    pub(super) ended: bool,
}

impl Lines {
    /// Whether there is nothing in them.
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

    /// Where the next line will start.
    pub(super) fn next(&self, depth: usize) -> usize {
        self.text.string.len() + 4 * depth
    }

    /// Says that the lines from `start` on were made from `place`.
    pub(super) fn mark(&mut self, start: usize, place: Place) {
        self.mark_as(start, place, Nature::Code);
    }

    /// Likewise, and what they are.
    pub(super) fn mark_as(&mut self, start: usize, place: Place, nature: Nature) {
        let end = self.text.string.trim_end().len();
        if start < end {
            self.text.marks.push(Mark { start, end, place, nature });
        }
    }

    /// Adds other lines; control comes to the end of these whatever they are.
    pub(super) fn nest(&mut self, inner: &Self) {
        if !self.ended {
            self.text.push(&inner.text);
        }
    }

    /// Goes on with other lines.
    pub(super) fn append(&mut self, next: &Self) {
        self.nest(next);
        self.ended |= next.ended;
    }

    /// The text.
    pub(super) fn into_text(self) -> Text {
        self.text
    }
}
