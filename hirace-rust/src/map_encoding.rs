//! A text encoding of source maps, so that a map costs the compiler of a user's crate only one literal.
//!
//! Each entry has six numbers, one more for a memory ordering, and one more if there are several files. Numbers are
//! stored as the difference from the previous entry where that is small. They are written in base 64 as in
//! JavaScript's source maps: five bits and a continuation bit per digit.

use super::map::{Entry, EntryKind, Map};
use crate::source_map::{LineColumn, Span};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Map {
    /// Encodes the map as printable ASCII without quotes or backslashes.
    pub fn encode(&self) -> String {
        let several = self.entries.iter().any(|entry| entry.file != 0);
        let mut text = if several { String::from(SEVERAL) } else { String::new() };
        let mut before = Entry::ORIGIN;
        for entry in &self.entries {
            for number in relative(entry, &before) {
                put(&mut text, number);
            }
            if let (_, Some(ordered)) = entry.kind.number() {
                put(&mut text, ordered);
            }
            if several {
                put(&mut text, i64::from(entry.file) - i64::from(before.file));
            }
            before = *entry;
        }
        text
    }

    /// Decodes a text that [`Map::encode`] wrote, without the file names. Returns `None` if the text is malformed.
    pub fn decode(text: &str) -> Option<Self> {
        let (text, several) = match text.strip_prefix(SEVERAL) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut digits = text.bytes();
        let mut entries = Vec::new();
        let mut before = Entry::ORIGIN;
        while digits.len() > 0 {
            let mut numbers = [0; 6];
            for number in &mut numbers {
                *number = take(&mut digits)?;
            }
            let kind = numbers[4].rem_euclid(EntryKind::KINDS);
            let nature = EntryKind::from_number(kind, || take(&mut digits))?;
            let file = match several {
                true => i64::from(before.file).checked_add(take(&mut digits)?)?,
                false => 0,
            };
            let file = u32::try_from(file).ok()?;
            before = Entry { kind: nature, file, ..absolute(numbers, &before)? };
            entries.push(before);
        }
        Some(Self { entries, files: Vec::new() })
    }
}

/// The prefix of a text whose entries are in several files: each entry then has one more number for its file.
const SEVERAL: &str = "~";

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
fn put(text: &mut String, number: i64) {
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

fn take(digits: &mut std::str::Bytes<'_>) -> Option<i64> {
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
        let kind = (0..EntryKind::KINDS, 0..OperationOrdering::COUNT);
        (number(), number(), place(), place(), kind, file).prop_map(
            |(a, b, start, end, (kind, ordered), file)| {
                let nature = EntryKind::from_number(kind, || Some(ordered)).unwrap();
                Entry { wgsl: Span::new(a, b), start, end, kind: nature, file }
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
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = Map::decode(&text);
        }
    }

    #[test]
    fn near_entries_take_a_digit_a_number() {
        let at = |line, column| LineColumn { line, column };
        let of = |start, line| Entry {
            wgsl: Span::new(start, start + 9),
            start: at(line, 5),
            end: at(line, 12),
            kind: EntryKind::Code,
            file: 0,
        };
        let map = Map { entries: vec![of(4, 2), of(14, 3)], files: Vec::new() };
        assert_eq!(map.encode().len(), 12);
    }
}
