//! Statements and expressions in the tokens of languages that are written as C.

use crate::source_map::Span;
use std::ops::Range;

/// A token: its text, and its span in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedToken<'a> {
    /// The text.
    pub text: &'a str,
    /// The span, empty if it is not known.
    pub span: Span,
}

/// The tokens of a text with the brackets that enclose them.
#[derive(Clone, Debug)]
pub struct Statements<'a> {
    tokens: Vec<PlacedToken<'a>>,
    /// By token: the matching bracket, for brackets.
    matching: Vec<Option<usize>>,
    /// By token: the innermost open bracket before it.
    enclosing: Vec<Option<usize>>,
}

/// The maximum number of tokens on each side that are searched for the end of a statement.
const LENGTH: usize = 2_000;
/// Keywords whose parentheses are the head of a compound statement.
const HEADS: [&str; 4] = ["if", "for", "while", "switch"];

impl<'a> Statements<'a> {
    /// Creates the statements of a text.
    pub fn new(tokens: Vec<PlacedToken<'a>>) -> Self {
        let mut matching = vec![None; tokens.len()];
        let mut enclosing = Vec::with_capacity(tokens.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let closes = match token.text {
                ")" => Some("("),
                "]" => Some("["),
                "}" => Some("{"),
                _ => None,
            };
            if let Some(opening) = closes
                && open.last().is_some_and(|open| tokens[*open].text == opening)
                && let Some(begin) = open.pop()
            {
                matching[begin] = Some(at);
                matching[at] = Some(begin);
            }
            enclosing.push(open.last().copied());
            if matches!(token.text, "(" | "[" | "{") {
                open.push(at);
            }
        }
        Self { tokens, matching, enclosing }
    }

    /// Returns the text of a token, empty after the last one.
    pub fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// Returns the span of some tokens. Tokens without a span are ignored.
    pub fn span(&self, range: Range<usize>) -> Option<Span> {
        let spans = self.tokens.get(range)?.iter().map(|token| token.span);
        let mut spans = spans.filter(|span| !span.is_empty());
        let first = spans.next()?;
        // A macro may have the tokens of another line.
        let last = spans.next_back().filter(|last| last.start >= first.start).unwrap_or(first);
        Some(Span::new(first.start, last.end.max(first.end)))
    }

    /// Returns the expression that begins at a name: with its indices, members and the method that it calls.
    pub fn postfix(&self, at: usize) -> Range<usize> {
        let mut end = at + 1;
        loop {
            match self.text(end) {
                "[" => match self.matching.get(end).copied().flatten() {
                    Some(close) => end = close + 1,
                    None => return at..end,
                },
                "." if is_name(self.text(end + 1)) && self.text(end + 2) != "(" => end += 2,
                _ => return at..end,
            }
        }
    }

    /// Returns the call of the function whose name is at a token.
    pub fn call(&self, at: usize) -> Option<Range<usize>> {
        let is_call = is_name(self.text(at)) && self.text(at + 1) == "(";
        let close = self.matching.get(at + 1).copied().flatten().filter(|_| is_call)?;
        Some(at..close + 1)
    }

    /// Returns the innermost call whose arguments contain a token.
    pub fn enclosing_call(&self, at: usize) -> Option<Range<usize>> {
        let mut next = self.enclosing.get(at).copied().flatten();
        while let Some(open) = next {
            if let Some(call) = open.checked_sub(1).and_then(|name| self.call(name)) {
                return Some(call);
            }
            next = self.enclosing.get(open).copied().flatten();
        }
        None
    }

    /// Returns the statement that contains a token, with its `;`, or the head of the compound statement.
    pub fn statement(&self, at: usize) -> Range<usize> {
        if let Some(head) = self.head(at) {
            return head;
        }
        let mut start = at;
        while let Some(before) = start.checked_sub(1).filter(|before| at - before < LENGTH) {
            let jump = match self.text(before) {
                ";" | "{" | "else" | "do" => break,
                "}" if self.text(start) != ";" => break,
                ")" => {
                    let open = self.matching[before].unwrap_or(before);
                    if self.opens_head(open) {
                        break;
                    }
                    open
                }
                _ => before,
            };
            // Directives are on lines of their own.
            if self.text(before).starts_with('#') {
                break;
            }
            start = jump;
        }
        let mut end = at;
        while end < self.tokens.len().min(at + LENGTH) {
            match self.text(end) {
                ";" => {
                    end += 1;
                    break;
                }
                "{" | "}" => break,
                text if text.starts_with('#') => break,
                "(" | "[" => end = self.matching[end].unwrap_or(end) + 1,
                _ => end += 1,
            }
        }
        start..end.max(at + 1)
    }

    /// Returns whether a bracket begins the head of a compound statement.
    fn opens_head(&self, open: usize) -> bool {
        let before = open.checked_sub(1);
        self.text(open) == "(" && before.is_some_and(|before| HEADS.contains(&self.text(before)))
    }

    /// Returns the head of a compound statement, if a token is within one.
    fn head(&self, at: usize) -> Option<Range<usize>> {
        let of_keyword = HEADS.contains(&self.text(at)).then_some(at + 1);
        let mut next = of_keyword.or_else(|| self.enclosing.get(at).copied().flatten());
        if let ")" = self.text(at) {
            next = self.matching[at].or(next);
        }
        while let Some(open) = next.filter(|open| self.text(*open) != "{") {
            if self.opens_head(open) {
                let close = self.matching.get(open).copied().flatten()?;
                return Some(open - 1..close + 1);
            }
            next = self.enclosing.get(open).copied().flatten();
        }
        None
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::super::lexer::scan;
    use super::*;

    /// Returns the statement of the token that `|` precedes.
    fn statement(text: &str) -> String {
        let at = text.find('|').unwrap();
        let text = text.replacen('|', " ", 1);
        let (statements, pieces) = read(&text);
        let token = pieces.iter().position(|start| *start > at).unwrap();
        let span = statements.span(statements.statement(token)).unwrap();
        text[span.range(&text)].trim().to_owned()
    }

    fn read(text: &str) -> (Statements<'_>, Vec<usize>) {
        let pieces = scan(text);
        let tokens = pieces.iter().map(|piece| PlacedToken {
            text: &text[piece.start..piece.end],
            span: Span::new(piece.start as u32, piece.end as u32),
        });
        (Statements::new(tokens.collect()), pieces.iter().map(|piece| piece.start).collect())
    }

    #[test]
    fn statement_spans_are_found() {
        for (text, expected) in [
            ("a = 1; b[|i] = f(c); d = 2;", "b[ i] = f(c);"),
            ("{ x = |y + 1; }", "x =  y + 1;"),
            ("if (a[|i] > 5u) b = a[j];", "if (a[ i] > 5u)"),
            ("if (a[i] > 5u) b = |a[j]; c;", "b =  a[j];"),
            ("if (a) b = 1; else |c = 2;", "c = 2;"),
            ("for (uint i = 0u; i < |n; i++) { b = 1; }", "for (uint i = 0u; i <  n; i++)"),
            ("for (uint i = 0u; i < n; i++) { b = |1; }", "b =  1;"),
            ("} while (|x); y;", "while ( x)"),
            ("{ a = (b + (|c)) * d; }", "a = (b + ( c)) * d;"),
            ("|return", "return"),
            ("a[|i", "a[ i"),
        ] {
            assert_eq!(statement(text), expected.trim(), "{text}");
        }
    }

    #[test]
    fn expressions_and_calls_are_found() {
        let text = "f(a.b[i + 1].c, d)[2] + e.length() + g[";
        let (statements, _) = read(text);
        let shown =
            |range: Range<usize>| text[statements.span(range).unwrap().range(text)].to_owned();
        assert_eq!(shown(statements.postfix(2)), "a.b[i + 1].c");
        assert_eq!(shown(statements.call(0).unwrap()), "f(a.b[i + 1].c, d)");
        assert_eq!(shown(statements.enclosing_call(6).unwrap()), "f(a.b[i + 1].c, d)");
        let e = (0..).find(|at| statements.text(*at) == "e").unwrap();
        assert_eq!(
            (shown(statements.postfix(e)), statements.enclosing_call(e)),
            ("e".to_owned(), None)
        );
        let g = (0..).find(|at| statements.text(*at) == "g").unwrap();
        assert_eq!(shown(statements.postfix(g)), "g");
        assert_eq!(statements.call(g), None);
    }
}
