//! Checks the nesting depth of Rust text, based on its tokens, because syn and all later passes are recursive.

use crate::diagnostic::Result;
use crate::front::nesting::{self, Part, Reader};
use crate::source_map::{LineColumn, SourceMap, Span};
use proc_macro2::{Delimiter, Span as Place, TokenStream, TokenTree, token_stream};

/// Rejects a text that is nested too deeply. A text that is not Rust passes; syn rejects it later.
pub fn check(text: &str, source: &SourceMap) -> Result<()> {
    // A shebang line is not a token.
    let is_shells = text.starts_with("#!") && !text[2..].trim_start().starts_with('[');
    let begin = if is_shells { text.find('\n').unwrap_or(text.len()) } else { 0 };
    let Ok(tokens) = text[begin..].parse::<TokenStream>() else { return Ok(()) };
    let parts = Parts { open: vec![(tokens.into_iter(), None)] };
    let offset = |at: proc_macro2::LineColumn| {
        source.offset(LineColumn { line: at.line as u32, column: at.column as u32 + 1 })
    };
    let span = |place: Place| Span::new(offset(place.start()), offset(place.end()));
    nesting::check(Reader::Linear, parts, span, source)
}

/// An iterator over the tokens of a stream and of its groups, without recursion.
struct Parts {
    /// The open streams, each nested in the one before it, and the token that closes it.
    open: Vec<(token_stream::IntoIter, Option<(Part, Place)>)>,
}

impl Iterator for Parts {
    type Item = (Part, Place);

    fn next(&mut self) -> Option<Self::Item> {
        let (stream, _) = self.open.last_mut()?;
        let Some(token) = stream.next() else {
            let end = self.open.pop().and_then(|(_, end)| end);
            return end.or_else(|| self.next());
        };
        Some(match &token {
            TokenTree::Group(group) => {
                let (opens, closes) = match group.delimiter() {
                    Delimiter::Brace => (Part::Begin, Part::End),
                    _ => (Part::Open, Part::Close),
                };
                let end = Some((closes, group.span_close()));
                self.open.push((group.stream().into_iter(), end));
                (opens, group.span_open())
            }
            TokenTree::Ident(word) => (of_word(&word.to_string()), word.span()),
            TokenTree::Punct(punct) => (of_character(punct.as_char()), punct.span()),
            TokenTree::Literal(literal) => (Part::Other, literal.span()),
        })
    }
}

fn of_word(word: &str) -> Part {
    match word {
        "else" => Part::Else,
        "if" | "match" | "while" | "for" | "loop" | "unsafe" | "async" | "move" => Part::Condition,
        "as" | "return" | "break" | "yield" | "in" | "let" => Part::Operator,
        _ => Part::Other,
    }
}

fn of_character(character: char) -> Part {
    match character {
        ';' => Part::Semicolon,
        ',' => Part::Comma,
        // `<` may begin a list of type arguments, which continues after a comma.
        '<' => Part::Condition,
        '#' | '\'' | ':' | '>' => Part::Other,
        _ => Part::Operator,
    }
}
