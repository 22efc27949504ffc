//! The source lines of an item, for reports.
//!
//! The text is reconstructed from its tokens, which works wherever the code comes from (files, documentation tests,
//! unsaved files in editors). Bodies are single tokens, so comments in them are kept.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The maximum number of lines between two consecutive tokens of an item.
const FAR: usize = 2_000;

/// A text and its location in its file.
#[derive(Debug, PartialEq, Eq)]
pub struct Lines {
    /// The line at which it begins, from 1.
    pub first: usize,
    /// The text. Each token has the line and column that it has in the file.
    pub text: String,
}

impl Lines {
    /// Returns the lines of an item.
    pub fn of(tokens: &TokenStream) -> Self {
        let first = tokens.clone().into_iter().next().map_or(1, |token| token.span().start().line);
        let mut writer = Writer { text: String::new(), line: first, column: 0 };
        writer.stream(tokens.clone());
        Self { first, text: writer.text }
    }
}

struct Writer {
    text: String,
    line: usize,
    column: usize,
}

impl Writer {
    fn stream(&mut self, tokens: TokenStream) {
        for token in tokens {
            match &token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                    self.stream(group.stream());
                }
                _ => self.token(&token),
            }
        }
    }

    fn token(&mut self, token: &TokenTree) {
        let start = token.span().start();
        // Tokens from a user's macro may come from anywhere.
        if (self.line + 1..self.line + FAR).contains(&start.line) {
            self.write(&"\n".repeat(start.line - self.line));
        }
        if start.line == self.line && start.column > self.column {
            self.write(&" ".repeat(start.column - self.column));
        }
        self.write(&token.span().source_text().unwrap_or_else(|| token.to_string()));
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
        match text.rsplit_once('\n') {
            Some((before, last)) => {
                self.line += before.matches('\n').count() + 1;
                self.column = last.chars().count();
            }
            None => self.column += text.chars().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_stands_where_it_stood() {
        let text = "\n\n  pub fn  f(\n   /* lost */ é: u32,\n) {\n    é[0]; // kept\n  }";
        let lines = Lines::of(&text.parse().unwrap());
        assert_eq!(lines.first, 3);
        assert_eq!(lines.text, &text[2..]);
    }

    #[test]
    fn what_stands_between_bodies_is_blank() {
        let text = "fn /* a\n comment */ f() {}";
        assert_eq!(Lines::of(&text.parse().unwrap()).text, "fn\n            f() {}");
    }
}
