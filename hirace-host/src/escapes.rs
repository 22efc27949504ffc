//! The text of string literals: escapes, line continuations and line terminators.

use crate::mapped::MappedText;
use hirace_program::source_map::Span;

/// The escapes of a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// Those of JavaScript.
    JavaScript,
    /// Those of Python.
    Python,
    /// Those of Rust.
    Rust,
    /// None: a raw string.
    Raw,
}

/// Returns the text of the literal whose source, without quotation marks, is `source` at byte `at` of the host file.
pub fn decode(source: &str, at: u32, escapes: Escapes) -> MappedText {
    let mut text = MappedText::default();
    let mut rest = source;
    while !rest.is_empty() {
        let special = |c: char| c == '\r' || c == '\\' && escapes != Escapes::Raw;
        let plain = rest.find(special).unwrap_or(rest.len());
        let here = at + (source.len() - rest.len()) as u32;
        let (before, after) = rest.split_at(plain);
        text.push_verbatim(before, here);
        let begin = here + plain as u32;
        let (length, value) = match after.chars().next() {
            None => break,
            Some('\r') => match after[1..].starts_with('\n') {
                // A line terminator is `\n` in the text of all host languages.
                true => (2, Some('\n')),
                false if escapes == Escapes::JavaScript => (1, Some('\n')),
                false => (1, Some('\r')),
            },
            Some(_) => escape(after, escapes),
        };
        let mut buffer = [0; 4];
        match value {
            Some(value) => {
                let shown = value.encode_utf8(&mut buffer);
                text.push_value(shown, Span::new(begin, begin + length as u32));
            }
            // An unknown escape of Python stands for itself.
            None if length == 0 => text.push_verbatim("\\", begin),
            None => {}
        }
        rest = after.get(length.max(1)..).unwrap_or_default();
    }
    text
}

/// Returns the length of the escape that `text` begins with, and its character. The length is 0 if the backslash stands for itself,
/// and there is no character if the escape continues a line.
fn escape(text: &str, escapes: Escapes) -> (usize, Option<char>) {
    let Some(kind) = text[1..].chars().next() else { return (0, None) };
    let simple = |c| (2, Some(c));
    match kind {
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        '\\' | '\'' | '"' => simple(kind),
        'x' => hex(text, 2, 2),
        'u' if escapes == Escapes::Python => hex(text, 2, 4),
        'U' if escapes == Escapes::Python => hex(text, 2, 8),
        'u' => match text[2..].strip_prefix('{') {
            Some(rest) => {
                let end = rest.find('}').unwrap_or(rest.len());
                let digits = rest[..end].replace('_', "");
                (3 + end + usize::from(end < rest.len()), Some(character(&digits)))
            }
            None => surrogates(text),
        },
        '\n' | '\r' => {
            let ending = if text[1..].starts_with("\r\n") { 2 } else { 1 };
            let skipped = match escapes {
                // Rust skips the white space that follows, too.
                Escapes::Rust => {
                    let rest = &text[1 + ending..];
                    let white = |c| matches!(c, ' ' | '\t' | '\n' | '\r');
                    rest.len() - rest.trim_start_matches(white).len()
                }
                _ => 0,
            };
            (1 + ending + skipped, None)
        }
        '\u{2028}' | '\u{2029}' if escapes == Escapes::JavaScript => (1 + kind.len_utf8(), None),
        'b' if escapes != Escapes::Rust => simple('\u{8}'),
        'f' if escapes != Escapes::Rust => simple('\u{c}'),
        'v' if escapes != Escapes::Rust => simple('\u{b}'),
        'a' if escapes == Escapes::Python => simple('\u{7}'),
        '0'..='7' if escapes == Escapes::Python => {
            let rest = &text[1..];
            let end = rest.find(|c: char| !('0'..='7').contains(&c)).unwrap_or(rest.len()).min(3);
            let value = u32::from_str_radix(&rest[..end], 8).ok().and_then(char::from_u32);
            (1 + end, Some(value.unwrap_or(char::REPLACEMENT_CHARACTER)))
        }
        '0' => simple('\0'),
        _ if escapes == Escapes::Python => (0, None),
        other => (1 + other.len_utf8(), Some(other)),
    }
}

/// Returns the length and the character of an escape with `count` hexadecimal digits from byte `from`.
fn hex(text: &str, from: usize, count: usize) -> (usize, Option<char>) {
    let rest = &text[from..];
    let digits = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len()).min(count);
    (from + digits, Some(character(&rest[..digits])))
}

fn character(digits: &str) -> char {
    let value = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    value.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the length and the character of `\uXXXX`, which may be half of a character.
fn surrogates(text: &str) -> (usize, Option<char>) {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(text) else { return hex(text, 2, 4) };
    let second = text.get(6..).and_then(unit);
    let pair = [first, second.unwrap_or_default()];
    match char::decode_utf16(pair).next() {
        Some(Ok(character)) if character.len_utf16() == 2 => (12, Some(character)),
        Some(Ok(character)) => (6, Some(character)),
        _ => (6, Some(char::REPLACEMENT_CHARACTER)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(source: &str, escapes: Escapes) -> String {
        decode(source, 0, escapes).text().to_owned()
    }

    #[test]
    fn escapes_have_the_values_of_their_languages() {
        use Escapes::{JavaScript, Python, Raw, Rust};
        for (source, escapes, expected) in [
            (r"a\nb\\c\`", JavaScript, "a\nb\\c`"),
            (r"\u{41}\u0042\x43\0", JavaScript, "ABC\0"),
            (r"\uD83D\uDE00\uD83D!", JavaScript, "😀\u{fffd}!"),
            ("a\\\r\nb\r\nc\rd", JavaScript, "ab\nc\nd"),
            (r"\$\{x\}", JavaScript, "${x}"),
            (r"\d\n\101\u0042\U00000043\N", Python, "\\d\nABC\\N"),
            ("a\\\nb\\", Python, "ab\\"),
            ("a\\\n   \n  b\\u{1F_600}\\x41", Rust, "ab😀A"),
            ("a\\n\r\n", Raw, "a\\n\n"),
        ] {
            assert_eq!(decoded(source, escapes), expected, "{source:?} {escapes:?}");
        }
    }

    /// Returns the escapes of a language, each with the length of its text.
    fn parts(escapes: Escapes) -> Vec<(&'static str, &'static str)> {
        let mut parts = vec![("ab", "ab"), ("é", "é"), ("\n", "\n"), ("\r\n", "\n"), ("😀", "😀")];
        match escapes {
            Escapes::Raw => parts.push(("\\n", "\\n")),
            _ => parts.extend([("\\n", "\n"), ("\\\\", "\\"), ("\\x41", "A"), ("\\\n", "")]),
        }
        match escapes {
            Escapes::JavaScript => {
                parts.extend([("\\u{e9}", "é"), ("\\uD83D\\uDE00", "😀"), ("\\`", "`")]);
            }
            Escapes::Python => parts.extend([("\\q", "\\q"), ("\\101", "A"), ("\\u00e9", "é")]),
            Escapes::Rust => parts.push(("\\u{1F600}", "😀")),
            Escapes::Raw => {}
        }
        parts
    }

    proptest! {
        #[test]
        fn every_byte_maps_to_its_source(
            language in 0..4_usize,
            chosen in proptest::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            use Escapes::{JavaScript, Python, Raw, Rust};
            let escapes = [JavaScript, Python, Rust, Raw][language];
            let parts = parts(escapes);
            let (mut source, mut text, mut places) = (String::new(), String::new(), Vec::new());
            for index in chosen {
                let (written, value) = *index.get(&parts);
                // Rust skips the white space after a line continuation.
                if written.trim().is_empty() && source.ends_with("\\\n") && escapes == Rust {
                    continue;
                }
                let start = 7 + source.len() as u32;
                for offset in 0..value.len() as u32 {
                    let is_same = written == value;
                    places.push(match is_same {
                        true => Span::new(start + offset, start + offset + 1),
                        false if written == "\\q" => Span::new(start + offset, start + offset + 1),
                        false => Span::new(start, start + written.len() as u32),
                    });
                }
                source.push_str(written);
                text.push_str(value);
            }
            let decoded = decode(&source, 7, escapes);
            prop_assert_eq!(decoded.text(), &text);
            for (at, place) in places.into_iter().enumerate() {
                let at = at as u32;
                prop_assert_eq!(decoded.host_span(Span::new(at, at + 1)), place);
            }
        }

        #[test]
        fn no_literal_makes_it_panic(source in "(?s)[\\\\uxUN{}0-9a-fA-F\r\n\u{2028}é😀 ]{0,30}", at in 0..9_u32) {
            use Escapes::{JavaScript, Python, Raw, Rust};
            for escapes in [JavaScript, Python, Rust, Raw] {
                let _ = decode(&source, at, escapes);
            }
        }
    }
}
