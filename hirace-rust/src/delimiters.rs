//! Finds the unmatched delimiter in a text that is not Rust. A text with unmatched parentheses, brackets or braces has
//! no tokens, so no other pass reports it.

use crate::diagnostic::Diagnostic;
use crate::source_map::{SourceMap, Span};

/// Returns a diagnostic for the first unmatched delimiter, if there is one.
pub fn find(source: &SourceMap) -> Option<Diagnostic> {
    let text = source.text();
    let mut open: Vec<OpenDelimiter> = Vec::new();
    // A brace whose closing brace is indented less than its own line. It may be the one that is not closed.
    let mut suspect: Option<OpenDelimiter> = None;
    for (at, delimiter) in (Delimiters { text, at: 0 }) {
        let here = OpenDelimiter { at, delimiter, indent: indent(text, at) };
        let Some(opener) = opener(delimiter) else {
            open.push(here);
            continue;
        };
        match open.pop() {
            None => {
                let error = Diagnostic::at(
                    source,
                    of(at),
                    format!("unexpected closing delimiter `{delimiter}`"),
                );
                return Some(error.help("remove it, or add the opening delimiter"));
            }
            Some(last) if last.delimiter != opener => {
                let closer = closer(last.delimiter);
                let error = format!("this `{}` is not closed before `{delimiter}`", last.delimiter);
                let error = Diagnostic::at(source, of(last.at), error);
                let error = error.label(of(at), format!("`{closer}` is expected before this"));
                return Some(error.help(format!("add the missing `{closer}`")));
            }
            Some(last) => {
                if opener == '{' && last.indent > here.indent && suspect.is_none() {
                    suspect = Some(last);
                }
            }
        }
    }
    let last = suspect.filter(|_| !open.is_empty()).or(open.pop())?;
    let closer = closer(last.delimiter);
    let error =
        Diagnostic::at(source, of(last.at), format!("this `{}` is not closed", last.delimiter));
    Some(error.help(format!("add the missing `{closer}`")))
}

/// An opening delimiter.
#[derive(Clone, Copy)]
struct OpenDelimiter {
    at: usize,
    delimiter: char,
    /// The indentation of its line.
    indent: usize,
}

fn of(at: usize) -> Span {
    Span::new(at as u32, at as u32 + 1)
}

fn indent(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..].chars().take_while(|c| c.is_whitespace()).count()
}

fn opener(closer: char) -> Option<char> {
    match closer {
        ')' => Some('('),
        ']' => Some('['),
        '}' => Some('{'),
        _ => None,
    }
}

fn closer(opener: char) -> char {
    match opener {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// An iterator over the delimiters of a text that are not in comments, strings or character literals.
struct Delimiters<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Delimiters<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<(usize, char)> {
        loop {
            let rest = &self.text[self.at..];
            let next = rest.chars().next()?;
            let at = self.at;
            self.at += match next {
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '/' if rest.starts_with("/*") => comment(rest),
                '"' => string(rest),
                'r' if !self.text[..at].ends_with(is_of_name) => raw_string(rest).unwrap_or(1),
                '\'' => character(rest),
                _ => next.len_utf8(),
            };
            if "()[]{}".contains(next) {
                return Some((at, next));
            }
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() && c != 'b' || c == '_'
}

/// Returns the length of a comment, including nested comments.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Returns the length of a string literal.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a raw string literal, if the text starts with one.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].chars().take_while(|&c| c == '#').count();
    let inside = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(inside.find(&end).map_or(text.len(), |at| 2 + hashes + at + end.len()))
}

/// Returns the length of a character literal, or of the quote that starts a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), Some(_)) => {
            let end = inside.find(|(_, c)| *c == '\'');
            end.map_or(text.len(), |(at, _)| at + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the line and column of the unmatched delimiter, and the message.
    fn found(text: &str) -> Option<(u32, u32, String)> {
        let source = SourceMap::new("a.rs", text);
        let found = find(&source)?;
        let place = source.position(found.labels[0].0.start);
        Some((place.line, place.column, found.message))
    }

    fn at(line: u32, column: u32, message: &str) -> Option<(u32, u32, String)> {
        Some((line, column, message.to_owned()))
    }

    #[test]
    fn what_is_not_closed_is_found_by_how_lines_are_indented() {
        let text = "fn f() {\n    if a {\n        b;\n}\n";
        assert_eq!(found(text), at(2, 10, "this `{` is not closed"));
        assert_eq!(found("fn f() {\n    b;\n"), at(1, 8, "this `{` is not closed"));
        assert_eq!(found("fn f( {\n}\n"), at(1, 5, "this `(` is not closed"));
        assert_eq!(found("fn f() {\n    b[1;\n}\n"), at(2, 6, "this `[` is not closed before `}`"));
        assert_eq!(found("fn f() {}\n}\n"), at(2, 1, "unexpected closing delimiter `}`"));
    }

    #[test]
    fn comments_strings_and_characters_are_not_looked_into() {
        let text = "fn f<'a>(x: &'a u8) { // {\n /* { /* { */ */ \"{\\\"{\"; r#\"{\"{\"#; br\"{\"; '{'; '\\''; b'{'; '\\u{7b}' }";
        assert_eq!(found(text), None);
        assert_eq!(found("fn é() { 'é'; var\"\" }"), None);
    }
}
