//! Checks the tokens of a text before naga's parser reads them.

use super::macros;
use super::origin::Origin;
use crate::diagnostic::{Diagnostic, Result};
use crate::front::nesting::{self, Part, Reader};
use crate::source_map::{SourceMap, Span};
use pp_rs::pp::Preprocessor;
use pp_rs::token::{Punct, TokenValue};

/// The maximum number of members of a structure, including those of nested structures. naga visits each of them.
const MEMBERS: u64 = 100_000;

/// Returns an error for a text that would need too deep a stack or too much time in naga. Must be called on a large stack.
pub fn check(text: &str, origin: &Origin, source: &SourceMap) -> Result<()> {
    let at = |span: Span, limit: String| {
        Box::new(match origin.span(span) {
            span if span.is_empty() => Diagnostic::new(limit),
            span => Diagnostic::at(source, span, limit),
        })
    };
    macros::check(text).map_err(|(span, limit)| at(span, limit))?;
    // naga reports errors in the tokens.
    let tokens = Preprocessor::new(text).flatten();
    let mut structures = Structures::default();
    let mut wrong = None;
    let parts = tokens.map(|token| {
        let span = Span::new(token.location.start, token.location.end);
        if wrong.is_none() && structures.add(&token.value) {
            wrong = Some(span);
        }
        (part(&token.value), span)
    });
    nesting::check(Reader::Naga, parts, |span| origin.span(span), source)?;
    match wrong {
        Some(span) => {
            let limit = "a structure may have at most 100,000 members, including those of nested structures";
            Err(at(span, limit.to_owned()))
        }
        None => Ok(()),
    }
}

fn part(token: &TokenValue) -> Part {
    match token {
        TokenValue::Ident(name) => match name.as_str() {
            "if" | "for" | "while" | "do" | "switch" => Part::Condition,
            "else" => Part::Else,
            _ => Part::Other,
        },
        TokenValue::Punct(punct) => match punct {
            Punct::LeftParen | Punct::LeftBracket => Part::Open,
            Punct::RightParen | Punct::RightBracket => Part::Close,
            Punct::LeftBrace => Part::Begin,
            Punct::RightBrace => Part::End,
            Punct::Semicolon => Part::Semicolon,
            Punct::Comma => Part::Comma,
            Punct::Question => Part::Condition,
            Punct::Colon => Part::Other,
            _ => Part::Operator,
        },
        _ => Part::Other,
    }
}

/// Estimates the numbers of members of structures from their tokens.
#[derive(Default)]
struct Structures {
    /// Number of members, by the name of the structure.
    known: rustc_hash::FxHashMap<String, u64>,
    /// The last word.
    word: String,
    /// Whether the word before it was `struct`.
    of_struct: bool,
    /// The structure that is open: its name, the number of open braces, and its members so far.
    open: Option<(String, usize, u64)>,
}

impl Structures {
    /// Processes the next token. Returns whether it ends a structure with too many members.
    fn add(&mut self, token: &TokenValue) -> bool {
        match token {
            TokenValue::Ident(name) => {
                self.of_struct = self.word == "struct";
                self.word.clone_from(name);
                let members = self.known.get(name).copied();
                if let (Some((.., sum)), Some(members)) = (&mut self.open, members) {
                    *sum = sum.saturating_add(members);
                }
            }
            TokenValue::Punct(Punct::LeftBrace) => match &mut self.open {
                Some((_, braces, _)) => *braces += 1,
                None if self.of_struct => self.open = Some((self.word.clone(), 1, 0)),
                None => {}
            },
            TokenValue::Punct(Punct::Semicolon | Punct::Comma) => {
                if let Some((.., sum)) = &mut self.open {
                    *sum = sum.saturating_add(1);
                }
            }
            TokenValue::Punct(Punct::RightBrace) => {
                if let Some((name, braces, members)) = self.open.take() {
                    if braces > 1 {
                        self.open = Some((name, braces - 1, members));
                    } else {
                        self.known.insert(name, members);
                        return members > MEMBERS;
                    }
                }
            }
            _ => {}
        }
        false
    }
}
