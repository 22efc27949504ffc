//! WGSL text as tokens with matched brackets: only as much syntax as spans need.
//!
//! Tokenization never fails: a text that is not WGSL yields useless tokens.

use crate::source_map::Span;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a keyword.
    Word,
    /// A number.
    Number,
    /// An operator, a bracket, a separator, or any other character.
    Punctuation,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: TokenKind,
    span: Span,
    /// The number of `(` and `[` that are open before it.
    depth: u32,
    /// For a bracket: the index of its partner.
    partner: Option<usize>,
}

/// The tokens of a text, without comments and white space. Tokens are identified by their index. Queries with an index past the
/// end return empty results.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a str,
    list: Vec<Token>,
    /// Tokens that end statements.
    statement_ends: Vec<usize>,
    /// Tokens that end clauses.
    clause_ends: Vec<usize>,
    /// By the name of a function: the opening brace of its body.
    bodies: FxHashMap<&'a str, usize>,
}

/// Operators of more than one character, longer ones first.
const OPERATORS: [&str; 22] = [
    "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "->", "<<", ">>", "::",
];

/// Assignment operators, simple and compound.
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

impl<'a> Tokens<'a> {
    /// Tokenizes `text`.
    pub fn new(text: &'a str) -> Self {
        let mut tokens = Self {
            text,
            list: Vec::new(),
            statement_ends: Vec::new(),
            clause_ends: Vec::new(),
            bodies: FxHashMap::default(),
        };
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            let rest = &text[at..];
            if next.is_whitespace() || next == '\u{feff}' {
                at += next.len_utf8();
            } else if let Some(length) = comment(rest) {
                at += length;
            } else {
                let (kind, length) = token(rest, next);
                tokens.list.push(Token {
                    kind,
                    span: Span::new(at as u32, (at + length) as u32),
                    depth: 0,
                    partner: None,
                });
                at += length;
            }
        }
        tokens.match_brackets();
        tokens.find_ends();
        tokens
    }

    fn find_ends(&mut self) {
        let mut function = None;
        for index in 0..self.list.len() {
            match self.text(index) {
                ";" if self.list[index].depth > 0 => self.clause_ends.push(index),
                end @ ("{" | "}" | ";") => {
                    self.statement_ends.push(index);
                    self.clause_ends.push(index);
                    if let (Some(name), "{") = (function.take(), end) {
                        self.bodies.entry(name).or_insert(index);
                    }
                }
                "fn" => function = Some(self.text(index + 1)),
                _ => {}
            }
        }
    }

    fn match_brackets(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        let mut depth = 0;
        for index in 0..self.list.len() {
            self.list[index].depth = depth;
            match self.text(index) {
                "(" | "[" => {
                    open.push(index);
                    depth += 1;
                }
                "{" => open.push(index),
                closing @ (")" | "]" | "}") => {
                    let opening = if closing == ")" {
                        "("
                    } else if closing == "]" {
                        "["
                    } else {
                        "{"
                    };
                    let Some(&partner) = open.last() else { continue };
                    if self.text(partner) != opening {
                        continue;
                    }
                    open.pop();
                    if closing != "}" {
                        depth -= 1;
                        self.list[index].depth = depth;
                    }
                    self.list[index].partner = Some(partner);
                    self.list[partner].partner = Some(index);
                }
                _ => {}
            }
        }
    }

    /// Returns the range of all tokens.
    pub fn all(&self) -> Range<usize> {
        0..self.list.len()
    }

    /// Returns the first token that starts at or after `offset`.
    pub fn at(&self, offset: u32) -> usize {
        self.list.partition_point(|token| token.span.start < offset)
    }

    /// Returns the text of a token.
    pub fn text(&self, index: usize) -> &'a str {
        self.list
            .get(index)
            .and_then(|token| self.text.get(token.span.range(self.text)))
            .unwrap_or("")
    }

    /// Returns the text of a span.
    pub fn source(&self, span: Span) -> &'a str {
        self.text.get(span.range(self.text)).unwrap_or("")
    }

    /// Returns the words of a range of tokens, after the first token.
    pub fn names(&self, tokens: Range<usize>) -> impl Iterator<Item = &'a str> {
        let words = tokens.skip(1).filter(|at| self.kind(*at) == TokenKind::Word);
        words.map(|at| self.text(at))
    }

    /// Returns the directives that the text starts with, each from its keyword to its last token before the semicolon.
    pub fn directives(&self) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while self.text(at) == ";" {
                at += 1;
            }
            let all = self.statement(at);
            at = all.end + 1;
            matches!(self.text(all.start), "enable" | "requires" | "diagnostic").then_some(all)
        })
    }

    /// Returns the kind of a token.
    pub fn kind(&self, index: usize) -> TokenKind {
        self.list.get(index).map_or(TokenKind::Punctuation, |token| token.kind)
    }

    /// Returns the other bracket of a pair.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.list.get(index)?.partner
    }

    /// Returns the span of a token.
    pub fn span(&self, index: usize) -> Span {
        self.list.get(index).map_or(Span::default(), |token| token.span)
    }

    /// Returns the span of a range of tokens.
    pub fn span_of(&self, tokens: Range<usize>) -> Span {
        if tokens.is_empty() {
            return Span::default();
        }
        Span::new(self.span(tokens.start).start, self.span(tokens.end - 1).end)
    }

    /// Returns the statement that contains a token, or its head if it is a compound statement: the tokens up to the next `;`, `{`
    /// or `}` outside of parentheses, in both directions.
    pub fn statement(&self, index: usize) -> Range<usize> {
        self.between(index, &self.statement_ends)
    }

    /// Returns the same range as [`Tokens::statement`], but the three parts of a `for` head are separate.
    pub fn clause(&self, index: usize) -> Range<usize> {
        self.between(index, &self.clause_ends)
    }

    fn between(&self, index: usize, ends: &[usize]) -> Range<usize> {
        let next = ends.partition_point(|&end| end < index);
        let start = next.checked_sub(1).map_or(0, |before| ends[before] + 1);
        start..ends.get(next).copied().unwrap_or(self.list.len())
    }

    /// Returns the assignment (`=`, `+=`, `++`, …) of the statement that starts at this token.
    pub fn assignment(&self, start: usize) -> Option<usize> {
        let depth = self.list.get(start)?.depth;
        (start..self.list.len())
            .take_while(|&i| !matches!(self.text(i), ";" | "{" | "}"))
            .find(|&i| self.list[i].depth == depth && self.is_assignment(i))
    }

    /// Returns whether a token is an assignment.
    pub fn is_assignment(&self, index: usize) -> bool {
        let text = self.text(index);
        ASSIGNMENTS.contains(&text) || matches!(text, "++" | "--")
    }

    /// Returns whether an operator after this token has it, or what it ends, as its left operand.
    pub fn ends_operand(&self, index: usize) -> bool {
        match self.kind(index) {
            TokenKind::Number => true,
            TokenKind::Word => {
                !matches!(self.text(index), "return" | "if" | "while" | "switch" | "case")
            }
            TokenKind::Punctuation => matches!(self.text(index), ")" | "]"),
        }
    }

    /// Returns whether a function called `name` is defined.
    pub fn has_function(&self, name: &str) -> bool {
        self.bodies.contains_key(name)
    }

    /// Returns the tokens between the braces of the function called `name`.
    pub fn body(&self, name: &str) -> Range<usize> {
        let open = self.bodies.get(name).copied();
        match open.and_then(|open| Some((open, self.partner(open)?))) {
            Some((open, close)) => open + 1..close,
            None => 0..0,
        }
    }
}

/// Returns the length of the comment that `text` starts with. Block comments nest.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..bytes.len().min(at + 2)] {
            b"/*" => (at, depth) = (at + 2, depth + 1),
            b"*/" => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    Some(text.len())
}

/// Returns the kind and length of the token that `text` starts with; `first` is its first character.
fn token(text: &str, first: char) -> (TokenKind, usize) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if first.is_ascii_digit() {
        let is_hex = text.starts_with("0x") || text.starts_with("0X");
        let exponent = if is_hex { ['p', 'P'] } else { ['e', 'E'] };
        let mut last = first;
        let end = text.find(|c: char| {
            // `1e-5` is one number.
            let is_sign = matches!(c, '+' | '-') && exponent.contains(&last);
            last = c;
            !word(c) && c != '.' && !is_sign
        });
        return (TokenKind::Number, end.unwrap_or(text.len()));
    }
    if word(first) {
        return (TokenKind::Word, text.find(|c: char| !word(c)).unwrap_or(text.len()));
    }
    let operator = OPERATORS.iter().find(|operator| text.starts_with(**operator));
    (TokenKind::Punctuation, operator.map_or(first.len_utf8(), |operator| operator.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let tokens = Tokens::new(text);
        tokens.all().map(|i| tokens.text(i)).collect()
    }

    #[test]
    fn comments_nest_and_vanish() {
        assert_eq!(texts("a /* b /* c */ d */ + // e\n f"), ["a", "+", "f"]);
        assert_eq!(texts("a /* never closed"), ["a"]);
    }

    #[test]
    fn operators_are_taken_whole() {
        assert_eq!(texts("*p+=q>>=1.5e3"), ["*", "p", "+=", "q", ">>=", "1.5e3"]);
        assert_eq!(texts("été*Δ"), ["été", "*", "Δ"]);
        assert_eq!(texts("1e-5-2E+3f*0x1p-4"), ["1e-5", "-", "2E+3f", "*", "0x1p-4"]);
        assert_eq!(texts("0x1e-5+1-e"), ["0x1e", "-", "5", "+", "1", "-", "e"]);
    }

    #[test]
    fn a_for_head_is_one_statement_of_three_clauses() {
        let text = "x = 1; for (var i = 0; i < n; i++) { y = 2; }";
        let tokens = Tokens::new(text);
        let at = |part: &str| tokens.at(text.find(part).unwrap() as u32);
        let show = |range| &text[tokens.span_of(range).range(text)];
        assert_eq!(show(tokens.statement(at("i < n"))), "for (var i = 0; i < n; i++)");
        assert_eq!(show(tokens.clause(at("i < n"))), "i < n");
        assert_eq!(show(tokens.statement(at("y"))), "y = 2");
    }

    #[test]
    fn brackets_that_do_not_match_are_no_harm() {
        let tokens = Tokens::new(") ( ] { ( }");
        assert_eq!((0..6).filter_map(|i| tokens.partner(i)).count(), 0);
    }
}
