//! GLSL as its preprocessor sees it: lines of tokens, without comments.

use crate::front::lexer::quoted_length;
use crate::source_map::Span;

/// A word, a number, or one character.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// The text.
    pub text: &'a str,
    /// The span in the user's text.
    pub span: Span,
    /// Whether there is space before it.
    pub spaced: bool,
}

/// A logical line: newlines in comments and after a `\` do not end it.
#[derive(Clone, Debug, Default)]
pub struct Line<'a> {
    /// Its tokens.
    pub tokens: Vec<Token<'a>>,
}

impl Line<'_> {
    /// Returns the name of the directive, if the line is one.
    pub fn directive(&self) -> Option<&str> {
        match self.tokens.as_slice() {
            [hash, rest @ ..] if hash.text == "#" => {
                Some(rest.first().map_or("", |name| name.text))
            }
            _ => None,
        }
    }
}

/// A text with normalized line ends (`\n`), in which lines that end in `\\` are joined with the next.
pub struct JoinedText {
    text: String,
    /// By byte: the offset in the original text.
    offsets: Vec<u32>,
}

impl JoinedText {
    /// Joins the lines of `text`.
    pub fn new(text: &str) -> Self {
        let mut joined = Self { text: String::new(), offsets: Vec::new() };
        let end = |at: usize| match text.as_bytes().get(at..).unwrap_or_default() {
            [b'\n', b'\r', ..] | [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            _ => 0,
        };
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            let behind = if next == '\\' { end(at + 1) } else { 0 };
            let (length, kept) = match end(at) {
                _ if behind > 0 => (1 + behind, None),
                0 => (next.len_utf8(), Some(next)),
                length => (length, Some('\n')),
            };
            if let Some(kept) = kept {
                joined.text.push(kept);
                joined.offsets.resize(joined.text.len(), at as u32);
            }
            at += length;
        }
        joined
    }

    fn span(&self, from: usize, length: usize) -> Span {
        let offset = |at: usize| self.offsets.get(at).copied();
        let start = offset(from).unwrap_or_default();
        Span::new(start, offset(from + length - 1).unwrap_or(start) + 1)
    }
}

/// Splits a text into lines of tokens.
pub fn lines(joined: &JoinedText) -> Vec<Line<'_>> {
    let text = joined.text.as_str();
    let (mut lines, mut line) = (Vec::new(), Line::default());
    let (mut at, mut spaced) = (0, false);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if first == '\n' {
            lines.push(std::mem::take(&mut line));
            1
        } else if let Some(close) = closing_quote(first, &line) {
            // Comments do not begin in it.
            let length = quoted_length(rest, close);
            let span = joined.span(at, length);
            line.tokens.push(Token { text: &rest[..length], span, spaced });
            at += length;
            spaced = false;
            continue;
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else {
            let length = match is_word(first) {
                true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let span = joined.span(at, length);
            line.tokens.push(Token { text: &rest[..length], span, spaced });
            at += length;
            spaced = false;
            continue;
        };
        at += length;
        spaced = true;
    }
    lines.push(line);
    lines
}

/// Returns the end of the text that begins with this character: of a string, or of the name of a file after `#include`.
fn closing_quote(first: char, line: &Line<'_>) -> Option<char> {
    let is_include = || {
        let mut last = line.tokens.iter().rev().map(|token| token.text);
        last.next() == Some("include") && last.next() == Some("#")
    };
    match first {
        '"' | '\'' => Some(first),
        '<' if is_include() => Some('>'),
        _ => None,
    }
}
