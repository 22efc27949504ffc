//! From places in printed WGSL to places in Rust.

use super::ordered::Ordered;
use crate::ir::claims::Claim;
use crate::source_map::{LineColumn, Span};
use std::borrow::Cow;

/// A stretch of WGSL text and the Rust it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Bytes of the WGSL text.
    pub wgsl: Span,
    /// The first character of the Rust.
    pub start: LineColumn,
    /// One past its last character.
    pub end: LineColumn,
    /// What else is to be known of it.
    pub nature: Nature,
    /// Which file the Rust stands in, of the map's.
    pub file: u32,
}

/// What is to be known of a stretch of WGSL beside where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Nothing.
    Code,
    /// Memory that is atomic in WGSL alone: reads and writes here are to be judged as plain.
    Plain,
    /// An expression that something is claimed of.
    Claimed(Claim),
    /// Lines that only check something. They are no part of the WGSL that is handed out.
    Check,
    /// An atomic, or a barrier that stands for a fence, of a model: it orders memory so, for which WGSL has no word.
    Ordered(Ordered),
}

impl Nature {
    /// How many kinds there are.
    pub const KINDS: i64 = 4 + Claim::ALL.len() as i64;

    /// A number for each kind, and what an ordered one has beside.
    pub fn number(self) -> (i64, Option<i64>) {
        match self {
            Self::Code => (0, None),
            Self::Plain => (1, None),
            Self::Check => (2, None),
            Self::Ordered(ordered) => (3, Some(ordered.number())),
            Self::Claimed(claim) => (4 + claim as i64, None),
        }
    }

    /// That of a number, and of what `beside` gives, if it has that.
    pub fn of_number(number: i64, beside: impl FnOnce() -> Option<i64>) -> Option<Self> {
        Some(match number {
            0 => Self::Code,
            1 => Self::Plain,
            2 => Self::Check,
            3 => Self::Ordered(Ordered::of_number(beside()?)?),
            _ => {
                let claim = usize::try_from(number - 4).ok()?;
                Self::Claimed(*Claim::ALL.get(claim)?)
            }
        })
    }
}

/// All of them, outer before inner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    /// In the order of their starts.
    pub entries: Vec<Entry>,
    /// The files that the Rust stands in, by name.
    pub files: Vec<String>,
}

impl Map {
    /// The same with its files in this order. What stands in none of them counts as of the first.
    pub fn of_files(mut self, files: &[String]) -> Self {
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

    /// The innermost stretch that holds `span`. Stretches nest, so it is the last of those that begin before.
    pub fn find(&self, span: Span) -> Option<&Entry> {
        let last = self.entries.partition_point(|entry| entry.wgsl.start <= span.start);
        self.entries[..last].iter().rfind(|entry| span.end <= entry.wgsl.end)
    }

    /// The text that this is the map of, without the lines that only check something.
    pub fn without_checks<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut kept = Cow::Borrowed("");
        let mut end = 0;
        for entry in self.entries.iter().filter(|entry| entry.nature == Nature::Check) {
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
