//! Pieces of expressions, with what must be known to put them together: how tightly they bind and whether
//! it matters when they are evaluated.

use super::text::Text;
use crate::front::rust::tree::{Binary, Place};

/// How tightly an expression binds, as WGSL's grammar has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// A name, literal, call, index or member.
    Primary,
    /// `-x`, `!x`, `*p`, `&x`, a negative literal.
    Unary,
    /// `*`, `/`, `%`.
    Product,
    /// `+`, `-`.
    Sum,
    /// What only primary and unary expressions may stand in without parentheses: `&`, `|`, `^`, `<<`, `>>`.
    Bits,
    /// `==`, `<` …
    Comparison,
    /// `&&`.
    And,
    /// `||`, and whatever binds less than all.
    Or,
}

/// Whether it matters when an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// It gives the same at any time.
    Constant,
    /// It reads what may change.
    Reads,
    /// It changes something, or waits for others.
    Acts,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: Text,
    pub(super) level: Level,
    pub(super) effect: Effect,
    /// May stand alone as a statement.
    pub(super) statement: bool,
}

impl Piece {
    /// A name or literal, or whatever else binds as tightly.
    pub(super) fn primary(text: impl Into<Text>, effect: Effect) -> Self {
        Self { text: text.into(), level: Level::Primary, effect, statement: false }
    }

    /// Says where all of it stands in Rust.
    pub(super) fn at(mut self, place: Place) -> Self {
        self.text = self.text.at(place);
        self
    }

    /// The text, in parentheses if it binds less tightly than `level`.
    pub(super) fn within(&self, level: Level) -> Text {
        if self.level <= level { self.text.clone() } else { self.parenthesised() }
    }

    /// The text as it stands between commas, where `a < b, c > (d)` would be a template's list.
    pub(super) fn argument(&self) -> Text {
        self.within(Level::Bits)
    }

    fn parenthesised(&self) -> Text {
        Text::from("(").text(&self.text).str(")")
    }

    /// Whether it can be written twice: a name or a literal.
    pub(super) fn is_simple(&self) -> bool {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        self.effect == Effect::Constant && self.text.as_str().chars().all(word)
    }

    /// `self op right`.
    pub(super) fn binary(&self, op: Binary, logic_on_bool: bool, right: &Self) -> Self {
        let (symbol, level) = operator(op, logic_on_bool);
        // Same operators need no parentheses at the left; WGSL wants them where others are mixed.
        let left_level = match level {
            Level::Product => Level::Product,
            Level::Sum => Level::Sum,
            Level::Comparison => Level::Sum,
            _ => Level::Unary,
        };
        let right_level = match level {
            Level::Sum => Level::Product,
            Level::Comparison => Level::Sum,
            _ => Level::Unary,
        };
        let text = self.within(left_level).str(" ").str(symbol).str(" ");
        let text = text.text(&right.within(right_level));
        let effect = self.effect.max(right.effect);
        Self { text, level, effect, statement: false }
    }
}

/// How an operator is written, and how tightly it binds.
pub(super) fn operator(op: Binary, of_bool: bool) -> (&'static str, Level) {
    match op {
        Binary::Add => ("+", Level::Sum),
        Binary::Subtract => ("-", Level::Sum),
        Binary::Multiply => ("*", Level::Product),
        Binary::Divide => ("/", Level::Product),
        Binary::Remainder => ("%", Level::Product),
        Binary::And => ("&", Level::Bits),
        Binary::Or => ("|", Level::Bits),
        // WGSL has no `^` of bool.
        Binary::Xor if of_bool => ("!=", Level::Comparison),
        Binary::Xor => ("^", Level::Bits),
        Binary::ShiftLeft => ("<<", Level::Bits),
        Binary::ShiftRight => (">>", Level::Bits),
        Binary::Equal => ("==", Level::Comparison),
        Binary::NotEqual => ("!=", Level::Comparison),
        Binary::Less => ("<", Level::Comparison),
        Binary::LessOrEqual => ("<=", Level::Comparison),
        Binary::Greater => (">", Level::Comparison),
        Binary::GreaterOrEqual => (">=", Level::Comparison),
        Binary::AndThen => ("&&", Level::And),
        Binary::OrElse => ("||", Level::Or),
    }
}
