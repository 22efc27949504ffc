//! How deep a text nests and how long its functions are, by its tokens alone: before a parser that recurses, or
//! whose time grows with the square of what it reads, sees it.

use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};

/// Brackets within brackets.
const BRACKETS: usize = 500;
/// Operators, conditions and unfinished statements that what follows may be an operand or a part of, through all
/// brackets that are open.
const OPERANDS: usize = 10_000;
/// Tokens from a `{` that nothing encloses to its `}`.
const TOKENS: usize = 100_000;
/// Such `{` in a file.
const BODIES: usize = 20_000;

/// What naga goes through more than once, or a parser that takes time for each token alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Functions may be so long, and so many.
    Naga,
    /// They may be as long and many as they are.
    Linear,
}

/// What a token is to the nesting of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An opening bracket that encloses expressions.
    Open,
    /// `{`.
    Begin,
    /// A closing bracket that encloses expressions.
    Close,
    /// `}`.
    End,
    /// `;`.
    Semicolon,
    /// `,`.
    Comma,
    /// `else`: what seemed to have ended goes on.
    Else,
    /// What the rest of its statement may be a part of, commas or not: `?`, `if`.
    Condition,
    /// What the rest of its expression may be an operand of.
    Operator,
    /// A name or a number.
    Other,
}

/// What is open within one bracket.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    operators: usize,
    conditions: usize,
    ended: Ended,
}

/// Whether a statement has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ended {
    #[default]
    No,
    /// If no `else` follows.
    BySemicolon,
    /// If neither that nor an operator follows.
    ByBrace,
}

/// Follows the tokens of a text.
#[derive(Clone, Debug)]
struct Nesting {
    reader: Reader,
    levels: Vec<Level>,
    /// Operators and conditions of all levels.
    operands: usize,
    /// Tokens since the outermost `{`, while one is open.
    tokens: usize,
    /// How many `{` are open.
    braces: usize,
    /// How many outermost `{` there were.
    bodies: usize,
}

impl Nesting {
    fn new(reader: Reader) -> Self {
        let levels = vec![Level::default()];
        Self { reader, levels, operands: 0, tokens: 0, braces: 0, bodies: 0 }
    }

    /// Takes the next token: `Err` says which limit it is beyond.
    fn add(&mut self, part: Part) -> std::result::Result<(), String> {
        self.tokens += 1;
        if self.reader == Reader::Naga {
            if self.tokens > TOKENS && self.braces > 0 {
                return Err("a function may have 100,000 tokens; this has more".to_owned());
            }
            if self.bodies > BODIES {
                return Err(
                    "a file may have 20,000 functions and structures; this has more".to_owned()
                );
            }
        }
        self.statement(part);
        match part {
            Part::Open | Part::Begin => {
                if part == Part::Begin {
                    if self.braces == 0 {
                        self.tokens = 0;
                        self.bodies += 1;
                    }
                    self.braces += 1;
                }
                self.levels.push(Level::default());
                if self.levels.len() - 1 > BRACKETS {
                    return Err(format!(
                        "brackets may nest {BRACKETS} levels deep; these are deeper"
                    ));
                }
            }
            Part::Close | Part::End => self.close(part == Part::End),
            Part::Semicolon => self.level().ended = Ended::BySemicolon,
            Part::Comma => {
                let operators = std::mem::take(&mut self.level().operators);
                self.operands -= operators;
            }
            Part::Condition | Part::Else => {
                self.level().conditions += 1;
                self.operands += 1;
            }
            Part::Operator => {
                self.level().operators += 1;
                self.operands += 1;
            }
            Part::Other => {}
        }
        match self.operands > OPERANDS {
            true => {
                Err("an expression, and the statement it is in, may have 10,000 operators and \
                         conditions; this has more"
                    .to_owned())
            }
            false => Ok(()),
        }
    }

    /// Ends the statement before `part`, if that does not go on with it.
    fn statement(&mut self, part: Part) {
        let level = self.level();
        let goes_on = match std::mem::take(&mut level.ended) {
            Ended::No => true,
            Ended::BySemicolon => part == Part::Else,
            Ended::ByBrace => matches!(part, Part::Else | Part::Operator),
        };
        if !goes_on {
            let Level { operators, conditions, .. } = std::mem::take(level);
            self.operands -= operators + conditions;
        }
    }

    fn close(&mut self, ends: bool) {
        if self.levels.len() > 1
            && let Some(Level { operators, conditions, .. }) = self.levels.pop()
        {
            self.operands -= operators + conditions;
        }
        if ends {
            self.level().ended = Ended::ByBrace;
            self.braces = self.braces.saturating_sub(1);
        } else {
            // `a(…)` and `a[…]` have `a` as their operand.
            self.level().operators += 1;
            self.operands += 1;
        }
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }
}

/// Refuses a text with such tokens that nests too deep, or has too long a function; `span` says where a token is.
pub fn check<T>(
    reader: Reader,
    tokens: impl Iterator<Item = (Part, T)>,
    span: impl Fn(T) -> Span,
    source: &SourceMap,
) -> Result<()> {
    let mut nesting = Nesting::new(reader);
    for (part, token) in tokens {
        nesting.add(part).map_err(|limit| Box::new(Diagnostic::at(source, span(token), limit)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part that each character stands for: the limit that a text is beyond.
    fn limit(reader: Reader, text: &str) -> Option<String> {
        let part = |c| match c {
            '(' => Part::Open,
            ')' => Part::Close,
            '{' => Part::Begin,
            '}' => Part::End,
            ';' => Part::Semicolon,
            ',' => Part::Comma,
            'e' => Part::Else,
            '?' => Part::Condition,
            '-' => Part::Operator,
            _ => Part::Other,
        };
        let mut nesting = Nesting::new(reader);
        text.chars().find_map(|c| nesting.add(part(c)).err())
    }

    #[test]
    fn what_nests_is_limited_and_what_follows_is_not() {
        let many = 20_000;
        for nested in ["(", "{", "-", "?", "?{}e", "(-", "?,", "?x;e", "x()", "-{}"] {
            assert!(limit(Reader::Linear, &nested.repeat(many)).is_some(), "{nested}");
        }
        for flat in ["x(),", "-x,", "-x;", "?x;", "{?{}}x", "-;)", "-;}", "{-}x-;"] {
            assert_eq!(limit(Reader::Linear, &flat.repeat(many)), None, "{flat}");
        }
    }

    #[test]
    fn functions_are_as_long_and_as_many_as_naga_reads_in_a_while() {
        let long = "{".to_owned() + &"-x;".repeat(50_000);
        let many = "{-x;}".repeat(30_000);
        for text in [long, many] {
            assert!(limit(Reader::Naga, &text).is_some());
            assert_eq!(limit(Reader::Linear, &text), None);
        }
        assert_eq!(limit(Reader::Naga, &"{-x;}".repeat(19_000)), None);
    }
}
