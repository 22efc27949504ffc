//! A source map from generated WGSL to Rust, and its text encoding, so that a map costs the compiler of a user's crate only one
//! literal.
//!
//! Each entry has six numbers, one more for a memory ordering, and one more if there are several files. Numbers are
//! stored as the difference from the previous entry where that is small. They are written in base 64 as in
//! JavaScript's source maps: five bits and a continuation bit per digit.

use super::memory_ordering::OperationOrdering;
use crate::ir::claims::Claim;
use crate::source_map::{LineColumn, Span};
use std::borrow::Cow;

/// A range of WGSL text and the Rust that it was generated from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The byte range in the WGSL text.
    pub wgsl: Span,
    /// The position of the first character of the Rust.
    pub start: LineColumn,
    /// The position one past the last character.
    pub end: LineColumn,
    /// The way in which the checker treats the range.
    pub kind: EntryKind,
    /// The index of the Rust file in [`Map::files`].
    pub file: u32,
}

/// The way in which the checker treats a range of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Ordinary code.
    Code,
    /// Memory that is atomic only in WGSL: reads and writes of it are checked as plain accesses.
    Plain,
    /// An expression with a claim that the checker verifies.
    Claim(Claim),
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
            Self::Claim(claim) => (4 + claim as i64, None),
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
                Self::Claim(*Claim::ALL.get(claim)?)
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
        let new_index = |entry: &Entry| {
            let name = self.files.get(entry.file as usize)?;
            files.iter().position(|file| file == name)
        };
        let indices: Vec<usize> =
            self.entries.iter().map(|entry| new_index(entry).unwrap_or_default()).collect();
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
        let mut rest_of_text = Cow::Borrowed("");
        let mut end = 0;
        for entry in self.entries.iter().filter(|entry| entry.kind == EntryKind::Check) {
            let (start, last) = (entry.wgsl.start as usize, entry.wgsl.end as usize);
            let before = text.get(end..start).unwrap_or_default();
            rest_of_text.to_mut().push_str(before.trim_end_matches(' '));
            let rest = text.get(last..).unwrap_or_default();
            end = last + usize::from(rest.starts_with('\n'));
        }
        if end == 0 {
            return Cow::Borrowed(text);
        }
        rest_of_text.to_mut().push_str(text.get(end..).unwrap_or_default());
        rest_of_text
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Map {
    /// Encodes the map as printable ASCII without quotes or backslashes.
    pub fn encode(&self) -> String {
        let has_several_files = self.entries.iter().any(|entry| entry.file != 0);
        let mut text = if has_several_files { String::from(SEVERAL_FILES) } else { String::new() };
        let mut before = Entry::ORIGIN;
        for entry in &self.entries {
            for number in relative(entry, &before) {
                push_number(&mut text, number);
            }
            if let (_, Some(ordered)) = entry.kind.number() {
                push_number(&mut text, ordered);
            }
            if has_several_files {
                push_number(&mut text, i64::from(entry.file) - i64::from(before.file));
            }
            before = *entry;
        }
        text
    }

    /// Decodes a text that [`Map::encode`] wrote, without the file names. Returns `None` if the text is malformed.
    pub fn decode(text: &str) -> Option<Self> {
        let (text, has_several_files) = match text.strip_prefix(SEVERAL_FILES) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut digits = text.bytes();
        let mut entries = Vec::new();
        let mut before = Entry::ORIGIN;
        while digits.len() > 0 {
            let mut numbers = [0; 6];
            for number in &mut numbers {
                *number = take_number(&mut digits)?;
            }
            let kind_number = numbers[4].rem_euclid(EntryKind::KINDS);
            let kind = EntryKind::from_number(kind_number, || take_number(&mut digits))?;
            let file = match has_several_files {
                true => i64::from(before.file).checked_add(take_number(&mut digits)?)?,
                false => 0,
            };
            let file = u32::try_from(file).ok()?;
            before = Entry { kind, file, ..absolute(numbers, &before)? };
            entries.push(before);
        }
        Some(Self { entries, files: Vec::new() })
    }
}

/// The prefix of a text whose entries are in several files. Each entry then has one more number, for its file.
const SEVERAL_FILES: &str = "~";

impl Entry {
    /// The entry that the first entry is encoded relative to.
    const ORIGIN: Self = Self {
        wgsl: Span { start: 0, end: 0 },
        start: LineColumn { line: 0, column: 0 },
        end: LineColumn { line: 0, column: 0 },
        kind: EntryKind::Code,
        file: 0,
    };
}

fn relative(entry: &Entry, before: &Entry) -> [i64; 6] {
    let difference = |a: u32, b: u32| i64::from(a) - i64::from(b);
    [
        difference(entry.wgsl.start, before.wgsl.start),
        difference(entry.wgsl.end, entry.wgsl.start),
        difference(entry.start.line, before.start.line),
        difference(entry.start.column, before.start.column),
        difference(entry.end.line, entry.start.line) * EntryKind::KINDS + entry.kind.number().0,
        difference(entry.end.column, entry.start.column),
    ]
}

fn absolute([at, bytes, line, column, lines, columns]: [i64; 6], before: &Entry) -> Option<Entry> {
    let add = |a: u32, b: i64| u32::try_from(i64::from(a).checked_add(b)?).ok();
    let start_byte = add(before.wgsl.start, at)?;
    let start = LineColumn {
        line: add(before.start.line, line)?,
        column: add(before.start.column, column)?,
    };
    Some(Entry {
        wgsl: Span { start: start_byte, end: add(start_byte, bytes)? },
        start,
        end: LineColumn {
            line: add(start.line, lines.div_euclid(EntryKind::KINDS))?,
            column: add(start.column, columns)?,
        },
        ..*before
    })
}

/// Appends a number. The sign is the lowest bit.
fn push_number(text: &mut String, number: i64) {
    let mut rest = number.unsigned_abs() << 1 | u64::from(number < 0);
    loop {
        let more = u64::from(rest >= 32) << 5;
        text.push(char::from(DIGITS[(rest & 31 | more) as usize]));
        rest >>= 5;
        if rest == 0 {
            return;
        }
    }
}

/// Removes and decodes the next number. Returns `None` if it is malformed.
fn take_number(digits: &mut std::str::Bytes<'_>) -> Option<i64> {
    let mut number = 0u64;
    for shift in (0..60).step_by(5) {
        let byte = digits.next()?;
        let digit = DIGITS.iter().position(|&digit| digit == byte)? as u64;
        number |= (digit & 31) << shift;
        if digit < 32 {
            let magnitude = (number >> 1) as i64;
            return Some(if number & 1 == 1 { -magnitude } else { magnitude });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::memory_ordering::OperationOrdering;
    use super::*;
    use proptest::prelude::*;

    fn entry() -> impl Strategy<Value = Entry> {
        let number = || prop_oneof![0..200u32, any::<u32>()];
        let place =
            move || (number(), number()).prop_map(|(line, column)| LineColumn { line, column });
        let file = prop_oneof![Just(0), 0..4u32, any::<u32>()];
        let kind_numbers = (0..EntryKind::KINDS, 0..OperationOrdering::COUNT);
        (number(), number(), place(), place(), kind_numbers, file).prop_map(
            |(a, b, start, end, (kind_number, ordered), file)| {
                let kind = EntryKind::from_number(kind_number, || Some(ordered)).unwrap();
                Entry { wgsl: Span::new(a, b), start, end, kind, file }
            },
        )
    }

    proptest! {
        #[test]
        fn a_map_is_read_back_as_it_was_written(entries in prop::collection::vec(entry(), 0..20)) {
            let map = Map { entries, files: Vec::new() };
            prop_assert_eq!(Map::decode(&map.encode()), Some(map));
        }

        #[test]
        fn any_text_is_decoded_or_rejected(text in ".{0,40}") {
            let _ = Map::decode(&text);
        }
    }

    #[test]
    fn near_entries_take_one_digit_per_number() {
        let at = |line, column| LineColumn { line, column };
        let entry_at = |start, line| Entry {
            wgsl: Span::new(start, start + 9),
            start: at(line, 5),
            end: at(line, 12),
            kind: EntryKind::Code,
            file: 0,
        };
        let map = Map { entries: vec![entry_at(4, 2), entry_at(14, 3)], files: Vec::new() };
        assert_eq!(map.encode().len(), 12);
    }
}
