//! Limits the nesting depth and the length of functions of a text, based only on its tokens. The check runs before a parser that
//! recurses, or whose run time is quadratic, reads the text.

use crate::diagnostic::{Diagnostic, Result};
use crate::source_map::{SourceMap, Span};

/// The maximum nesting depth of brackets.
const BRACKETS: usize = 500;
/// The maximum number of operators, conditions and unfinished statements that the next token may be an operand or a part of, over
/// all open brackets.
const OPERANDS: usize = 10_000;
/// The maximum number of tokens between a top-level `{` and its `}`.
const TOKENS: usize = 100_000;
/// The maximum number of top-level `{` in a file.
const BODIES: usize = 20_000;

/// The kind of parser that reads the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// naga, which processes some parts more than once. The length and number of functions are limited.
    Naga,
    /// A parser with linear run time. The length and number of functions are not limited.
    Linear,
}

/// The role of a token in the nesting of a text.
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
    /// `else`, which continues a statement that seemed to have ended.
    Else,
    /// A token such as `?` or `if` that the rest of its statement may be a part of, commas included.
    Condition,
    /// A token that the rest of its expression may be an operand of.
    Operator,
    /// A name or a number.
    Other,
}

/// The unfinished constructs within one bracket.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    operators: usize,
    conditions: usize,
    ended: StatementEnd,
}

/// Whether a statement has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StatementEnd {
    #[default]
    No,
    /// It has ended if no `else` follows.
    BySemicolon,
    /// It has ended if neither `else` nor an operator follows.
    ByBrace,
}

/// The state of scanning the tokens of a text.
#[derive(Clone, Debug)]
struct Nesting {
    reader: Reader,
    levels: Vec<Level>,
    /// Number of operators and conditions on all levels.
    operands: usize,
    /// Number of tokens since the outermost `{`, while one is open.
    tokens: usize,
    /// Number of open `{`.
    braces: usize,
    /// Number of outermost `{` so far.
    bodies: usize,
}

impl Nesting {
    fn new(reader: Reader) -> Self {
        let levels = vec![Level::default()];
        Self { reader, levels, operands: 0, tokens: 0, braces: 0, bodies: 0 }
    }

    /// Processes the next token. Returns an error message if a limit is exceeded.
    fn add(&mut self, part: Part) -> std::result::Result<(), String> {
        self.tokens += 1;
        if self.reader == Reader::Naga {
            if self.tokens > TOKENS && self.braces > 0 {
                return Err("a function may have at most 100,000 tokens".to_owned());
            }
            if self.bodies > BODIES {
                return Err("a file may have at most 20,000 functions and structures".to_owned());
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
                    return Err(format!("brackets may nest at most {BRACKETS} levels deep"));
                }
            }
            Part::Close | Part::End => self.close(part == Part::End),
            Part::Semicolon => self.level().ended = StatementEnd::BySemicolon,
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
            true => Err(
                "an expression and its statement may have at most 10,000 operators and conditions"
                    .to_owned(),
            ),
            false => Ok(()),
        }
    }

    /// Ends the statement before `part`, unless `part` continues it.
    fn statement(&mut self, part: Part) {
        let level = self.level();
        let goes_on = match std::mem::take(&mut level.ended) {
            StatementEnd::No => true,
            StatementEnd::BySemicolon => part == Part::Else,
            StatementEnd::ByBrace => matches!(part, Part::Else | Part::Operator),
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
            self.level().ended = StatementEnd::ByBrace;
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

/// Returns an error for a text with these tokens that nests too deeply, or that has a function that is too long. `span` returns
/// the span of a token.
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

    /// Interprets each character as a part, and returns the message of the limit that is exceeded, if any.
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
