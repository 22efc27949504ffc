//! The lexer for litmus files.

use hirace_core::diagnostic::{Diagnostic, Result};
use hirace_core::source_map::{SourceMap, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name, a keyword, or an instruction with all its modifiers.
    Word,
    /// An integer with its sign.
    Number(i64),
    /// Punctuation, identified by its text.
    Sign,
    /// A quoted text.
    Quoted,
    /// The end of the file.
    End,
}

/// A token and its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: Kind,
    /// The span.
    pub span: Span,
}

/// The remaining tokens of a text.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    source: &'a SourceMap,
    at: usize,
    next: Token,
}

/// Punctuation, longest first.
const SIGNS: [&str; 22] = [
    "==", "!=", "<=", ">=", "/\\", "\\/", "->", "<-", "&&", "||", "{", "}", "(", ")", ";", ":",
    ",", "|", "@", "=", "<", ">",
];

impl<'a> Tokens<'a> {
    /// Creates the tokens of the text after a byte offset.
    pub fn new(source: &'a SourceMap, at: usize) -> Result<Self> {
        let nowhere = Token { kind: Kind::End, span: Span::new(0, 0) };
        let mut tokens = Self { source, at, next: nowhere };
        tokens.next = tokens.scan()?;
        Ok(tokens)
    }

    /// Returns the next token without taking it.
    pub fn peek(&self) -> Token {
        self.next
    }

    /// Takes the next token.
    pub fn take(&mut self) -> Result<Token> {
        let token = self.next;
        self.next = self.scan()?;
        Ok(token)
    }

    /// Returns the text of a token.
    pub fn text(&self, token: Token) -> &'a str {
        self.source.text().get(token.span.range(self.source.text())).unwrap_or("")
    }

    /// Returns whether the next token has this text.
    pub fn sees(&self, text: &str) -> bool {
        matches!(self.next.kind, Kind::Word | Kind::Sign) && self.text(self.next) == text
    }

    /// Takes the next token if it has this text. Returns whether it did.
    pub fn accept(&mut self, text: &str) -> Result<bool> {
        let sees = self.sees(text);
        if sees {
            self.take()?;
        }
        Ok(sees)
    }

    /// Takes the next token, which must have this text. `after` completes the error message.
    pub fn expect(&mut self, text: &str, after: &str) -> Result<Token> {
        if self.sees(text) {
            return self.take();
        }
        Err(Box::new(self.wrong(self.next, format!("expected `{text}` {after}"))))
    }

    /// Takes the next token, which must be a word. `what` describes it in the error message.
    pub fn word(&mut self, what: &str) -> Result<(Token, &'a str)> {
        let token = self.next;
        if token.kind != Kind::Word {
            return Err(Box::new(self.wrong(token, format!("expected {what}"))));
        }
        self.take()?;
        Ok((token, self.text(token)))
    }

    /// Returns a diagnostic about a token.
    pub fn wrong(&self, token: Token, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.source, token.span, message)
    }

    fn scan(&mut self) -> Result<Token> {
        self.skip()?;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(self.token(Kind::End, 0));
        };
        if first.is_ascii_alphabetic() || matches!(first, '_' | '%' | '$') {
            let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$' | '.');
            let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
            return Ok(self.token(Kind::Word, length));
        }
        let sign = usize::from(first == '-');
        if rest[sign..].starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(sign);
        }
        if first == '"' {
            let Some(length) = rest[1..].find('"') else {
                let token = self.token(Kind::Quoted, rest.lines().next().map_or(1, str::len));
                return Err(Box::new(self.wrong(token, "unterminated quoted text")));
            };
            return Ok(self.token(Kind::Quoted, length + 2));
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            return Ok(self.token(Kind::Sign, sign.len()));
        }
        let length = first.len_utf8();
        let token = self.token(Kind::Sign, length);
        if matches!(first, '~' | '[' | ']') {
            return Ok(token);
        }
        Err(Box::new(self.wrong(token, format!("unexpected character `{first}`"))))
    }

    fn number(&mut self, sign: usize) -> Result<Token> {
        let rest = self.rest();
        let digits = &rest[sign..];
        let length = digits.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(digits.len());
        let digits = &digits[..length];
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let value = value.ok().map(|value| if sign == 1 { -value } else { value });
        let value = value.filter(|value| (-(1 << 31)..1 << 32).contains(value));
        let token = self.token(Kind::Number(value.unwrap_or(0)), sign + length);
        let message = || format!("`{}` is not a 32-bit number", self.text(token));
        value.map(|_| token).ok_or_else(|| Box::new(self.wrong(token, message())))
    }

    /// Skips whitespace and comments.
    fn skip(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            let comment = match rest {
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("(*") => match rest.find("*)") {
                    Some(end) => end + 2,
                    None => {
                        let token = self.token(Kind::Sign, 2);
                        return Err(Box::new(
                            self.wrong(token, "unterminated comment").help("end it with `*)`"),
                        ));
                    }
                },
                _ => return Ok(()),
            };
            self.at += comment;
        }
    }

    fn rest(&self) -> &'a str {
        self.source.text().get(self.at..).unwrap_or("")
    }

    fn token(&mut self, kind: Kind, length: usize) -> Token {
        let start = self.at;
        self.at += length;
        Token { kind, span: Span::new(start as u32, self.at as u32) }
    }
}
