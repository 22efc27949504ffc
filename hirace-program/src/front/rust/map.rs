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
    /// What was printed at `span`: of what has just that extent the innermost, else the innermost around it.
    pub fn find(&self, span: Span) -> Option<&Entry> {
        let holds = |entry: &&Entry| entry.wgsl.start <= span.start && span.end <= entry.wgsl.end;
        let last = self.entries.partition_point(|entry| entry.wgsl.start <= span.start);
        let around = self.entries[..last].iter().filter(holds);
        // Of two of the same extent the later one is the inner one.
        around.min_by_key(|entry| entry.wgsl.end - entry.wgsl.start).map(|found| {
            let same = |entry: &&Entry| entry.wgsl == found.wgsl;
            self.entries[..last].iter().rfind(same).unwrap_or(found)
        })
    }
}
