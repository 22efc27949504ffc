//! A source map from generated WGSL to Rust.

use super::memory_ordering::OperationOrdering;
use crate::ir::claims::Claim;
use crate::source_map::{LineColumn, Span};
use std::borrow::Cow;

/// A stretch of WGSL text and the Rust that it was generated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The byte range in the WGSL text.
    pub wgsl: Span,
    /// The position of the first character of the Rust.
    pub start: LineColumn,
    /// The position one past the last character.
    pub end: LineColumn,
    /// How the checker must treat it.
    pub kind: EntryKind,
    /// The index of the Rust file in [`Map::files`].
    pub file: u32,
}

/// How the checker must treat a stretch of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Ordinary code.
    Code,
    /// Memory that is atomic only in WGSL: reads and writes of it are checked as plain accesses.
    Plain,
    /// An expression with a claim that the checker verifies.
    Claimed(Claim),
    /// Lines that only check a claim. They are not part of the WGSL that users receive.
    Check,
    /// An atomic operation of a model, or a barrier that stands for a fence, with a memory ordering that WGSL cannot
    /// express.
    Ordered(OperationOrdering),
}

impl EntryKind {
    /// The number of kinds.
    pub const KINDS: i64 = 4 + Claim::ALL.len() as i64;

    /// Returns the number that encodes the kind, and for an ordering a second number.
    pub fn number(self) -> (i64, Option<i64>) {
        match self {
            Self::Code => (0, None),
            Self::Plain => (1, None),
            Self::Check => (2, None),
            Self::Ordered(ordered) => (3, Some(ordered.number())),
            Self::Claimed(claim) => (4 + claim as i64, None),
        }
    }

    /// Decodes a kind from its number. `second` returns the second number; it is called only for an ordering.
    pub fn from_number(number: i64, second: impl FnOnce() -> Option<i64>) -> Option<Self> {
        Some(match number {
            0 => Self::Code,
            1 => Self::Plain,
            2 => Self::Check,
            3 => Self::Ordered(OperationOrdering::from_number(second()?)?),
            _ => {
                let claim = usize::try_from(number - 4).ok()?;
                Self::Claimed(*Claim::ALL.get(claim)?)
            }
        })
    }
}

/// A source map. Enclosing entries come before the entries inside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// The entries, sorted by their start.
    pub entries: Vec<Entry>,
    /// The names of the Rust files.
    pub files: Vec<String>,
}

impl Map {
    /// Returns the map with its files in this order. Entries of unlisted files are assigned to the first file.
    pub fn with_files(mut self, files: &[String]) -> Self {
        let of = |entry: &Entry| {
            let name = self.files.get(entry.file as usize)?;
            files.iter().position(|file| file == name)
        };
        let indices: Vec<usize> =
            self.entries.iter().map(|entry| of(entry).unwrap_or_default()).collect();
        for (entry, index) in self.entries.iter_mut().zip(indices) {
            entry.file = index as u32;
        }
        self.files = files.to_vec();
        self
    }

    /// Returns the innermost entry that contains `span`. Entries nest, so it is the last one that starts at or before
    /// the span and ends after it.
    pub fn find(&self, span: Span) -> Option<&Entry> {
        let last = self.entries.partition_point(|entry| entry.wgsl.start <= span.start);
        self.entries[..last].iter().rfind(|entry| span.end <= entry.wgsl.end)
    }

    /// Returns the text that this map belongs to, without the lines that only check claims.
    pub fn without_checks<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut kept = Cow::Borrowed("");
        let mut end = 0;
        for entry in self.entries.iter().filter(|entry| entry.kind == EntryKind::Check) {
            let (start, last) = (entry.wgsl.start as usize, entry.wgsl.end as usize);
            let before = text.get(end..start).unwrap_or_default();
            kept.to_mut().push_str(before.trim_end_matches(' '));
            let rest = text.get(last..).unwrap_or_default();
            end = last + usize::from(rest.starts_with('\n'));
        }
        if end == 0 {
            return Cow::Borrowed(text);
        }
        kept.to_mut().push_str(text.get(end..).unwrap_or_default());
        kept
    }
}
