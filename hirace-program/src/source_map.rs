//! Where things stand in the source the user wrote.
//!
//! A [`SourceMap`] owns the text and turns byte offsets into lines and columns. What a pass or an
//! executor refers to is a site ([`crate::ir::sites`]), and every site has a [`Span`] here.

use std::sync::Arc;

/// A half-open range of byte offsets into the text of a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`, in bytes.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The byte range, clipped to `text`.
    pub fn range(self, text: &str) -> std::ops::Range<usize> {
        let end = (self.end as usize).min(text.len());
        (self.start as usize).min(end)..end
    }

    /// Whether the span covers nothing (naga gives such spans to what it makes itself).
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

impl From<naga::Span> for Span {
    fn from(span: naga::Span) -> Self {
        span.to_range().map_or(Self::default(), |r| Self::new(r.start as u32, r.end as u32))
    }
}

/// A position as editors count it: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values.
    pub column: u32,
}

/// One source text under the name that reports show.
#[derive(Clone, Debug)]
pub struct SourceMap {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Arc<[u32]>,
}

impl Default for SourceMap {
    fn default() -> Self {
        Self::new("", "")
    }
}

impl SourceMap {
    /// The map of `text`, shown to users as `name` (a path as they gave it).
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i as u32 + 1)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name that reports show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&s| s as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.text.get(start..offset).map_or(offset - start, |s| s.chars().count());
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The byte offset of a position; of the end of the line or text, if there is no such position.
    pub fn offset(&self, position: LineColumn) -> u32 {
        let Some(&start) = self.line_starts.get((position.line as usize).saturating_sub(1)) else {
            return self.text.len() as u32;
        };
        let line = self.line(position.line);
        let before = line.chars().take((position.column as usize).saturating_sub(1));
        start + before.map(char::len_utf8).sum::<usize>() as u32
    }

    /// The text of line `line` (from 1), without its end.
    pub fn line(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        let Some(&start) = index.and_then(|index| self.line_starts.get(index)) else { return "" };
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// How many lines the text has.
    pub fn lines(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The text under `span`.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range(&self.text)).unwrap_or("")
    }
}
