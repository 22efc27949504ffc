//! From places in printed WGSL to places in Rust.

use crate::source_map::{LineColumn, Span};

/// A stretch of WGSL text and the Rust it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Bytes of the WGSL text.
    pub wgsl: Span,
    /// The first character of the Rust.
    pub start: LineColumn,
    /// One past its last character.
    pub end: LineColumn,
    /// Memory that is atomic in WGSL alone: reads and writes here are to be judged as plain.
    pub plain: bool,
}

/// All of them, outer before inner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// In the order of their starts.
    pub entries: Vec<Entry>,
}

impl Map {
    /// The innermost stretch that holds `span`. Stretches nest, so it is the last of those that begin before.
    pub fn find(&self, span: Span) -> Option<&Entry> {
        let last = self.entries.partition_point(|entry| entry.wgsl.start <= span.start);
        self.entries[..last].iter().rfind(|entry| span.end <= entry.wgsl.end)
    }
}
