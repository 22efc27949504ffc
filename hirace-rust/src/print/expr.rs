//! Pieces of expressions, with the information that is needed to combine them: their precedence, and whether the time
//! of their evaluation matters.
//!
//! WGSL computes integers of 8 and 16 bits with 32 bits, and results outside the range wrap around.

use super::place::call;
use super::text::Text;
use crate::tree::{Binary, Place, Scalar, Type, Unary};

/// The precedence of an expression in WGSL's grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    /// A name, literal, call, index or member.
    Primary,
    /// `-x`, `!x`, `*p`, `&x`, a negative literal.
    Unary,
    /// `*`, `/`, `%`.
    Product,
    /// `+`, `-`.
    Sum,
    /// `&`, `|`, `^`, `<<`, `>>`: their operands must be primary or unary expressions or be in parentheses.
    Bits,
    /// `==`, `<` …
    Comparison,
    /// `&&`.
    And,
    /// `||`, and everything that binds less tightly.
    Or,
}

/// The side effects of an expression, which decide whether the time of its evaluation matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    /// It has the same value at any time.
    Constant,
    /// It reads memory that may change.
    Reads,
    /// It changes memory, or waits for other invocations.
    Acts,
}

/// A printed expression.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: Text,
    pub(super) level: Precedence,
    pub(super) effect: Effect,
    /// Whether it can be a statement.
    pub(super) statement: bool,
}

impl Piece {
    /// Creates a piece of the tightest precedence, such as a name or literal.
    pub(super) fn primary(text: impl Into<Text>, effect: Effect) -> Self {
        Self { text: text.into(), level: Precedence::Primary, effect, statement: false }
    }

    /// Sets the Rust source location of the whole piece.
    pub(super) fn at(mut self, place: Place) -> Self {
        self.text = self.text.at(place);
        self
    }

    /// Returns the text, in parentheses if it binds less tightly than `level`.
    pub(super) fn within(&self, level: Precedence) -> Text {
        if self.level <= level { self.text.clone() } else { self.parenthesised() }
    }

    /// Returns the text for an argument list. There, `a < b, c > (d)` would be parsed as a template list.
    pub(super) fn argument(&self) -> Text {
        self.within(Precedence::Bits)
    }

    fn parenthesised(&self) -> Text {
        Text::from("(").text(&self.text).str(")")
    }

    /// Returns whether it is a name or a literal, which can be written twice.
    pub(super) fn is_simple(&self) -> bool {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        self.effect == Effect::Constant && self.text.as_str().chars().all(word)
    }

    /// Returns `self op right`.
    pub(super) fn binary(&self, op: Binary, logic_on_bool: bool, right: &Self) -> Self {
        let (symbol, level) = operator(op, logic_on_bool);
        // A left operand with the same operator needs no parentheses. WGSL requires them for mixed operators.
        let left_level = match level {
            Precedence::Product => Precedence::Product,
            Precedence::Sum => Precedence::Sum,
            Precedence::Comparison => Precedence::Sum,
            _ => Precedence::Unary,
        };
        let right_level = match level {
            Precedence::Sum => Precedence::Product,
            Precedence::Comparison => Precedence::Sum,
            _ => Precedence::Unary,
        };
        let text = self.within(left_level).str(" ").str(symbol).str(" ");
        let text = text.text(&right.within(right_level));
        let effect = self.effect.max(right.effect);
        Self { text, level, effect, statement: false }
    }
}

/// Returns the spelling and the precedence of an operator.
pub(super) fn operator(op: Binary, of_bool: bool) -> (&'static str, Precedence) {
    match op {
        Binary::Add => ("+", Precedence::Sum),
        Binary::Subtract => ("-", Precedence::Sum),
        Binary::Multiply => ("*", Precedence::Product),
        Binary::Divide => ("/", Precedence::Product),
        Binary::Remainder => ("%", Precedence::Product),
        Binary::And => ("&", Precedence::Bits),
        Binary::Or => ("|", Precedence::Bits),
        // WGSL has no `^` on `bool`.
        Binary::Xor if of_bool => ("!=", Precedence::Comparison),
        Binary::Xor => ("^", Precedence::Bits),
        Binary::ShiftLeft => ("<<", Precedence::Bits),
        Binary::ShiftRight => (">>", Precedence::Bits),
        Binary::Equal => ("==", Precedence::Comparison),
        Binary::NotEqual => ("!=", Precedence::Comparison),
        Binary::Less => ("<", Precedence::Comparison),
        Binary::LessOrEqual => ("<=", Precedence::Comparison),
        Binary::Greater => (">", Precedence::Comparison),
        Binary::GreaterOrEqual => (">=", Precedence::Comparison),
        Binary::AndThen => ("&&", Precedence::And),
        Binary::OrElse => ("||", Precedence::Or),
    }
}

/// Returns the scalar and its bits if the type is such an integer.
fn narrow(ty: &Type) -> Option<(Scalar, u32)> {
    match ty {
        Type::Scalar(scalar) => scalar.narrow_bits().map(|bits| (*scalar, bits)),
        _ => None,
    }
}

/// Truncates a value that was computed with 32 bits to the width of its type.
pub(super) fn narrowed(piece: Piece, ty: &Type) -> Piece {
    let Some((scalar, bits)) = narrow(ty) else { return piece };
    let text = match scalar.is_signed() {
        true => {
            let bits = format!("{bits}u");
            call("extractBits", &[piece.argument(), Text::from("0u"), Text::from(bits)])
        }
        false => {
            let mask = (1u32 << bits) - 1;
            Text::from("(").text(&piece.within(Precedence::Unary)).str(&format!(" & {mask}u)"))
        }
    };
    Piece { text, level: Precedence::Primary, statement: false, ..piece }
}

/// Returns whether the result of an operator can leave the range of such a type.
pub(super) fn can_overflow(op: Binary, ty: &Type) -> bool {
    use Binary::{Add, Divide, Multiply, ShiftLeft, Subtract};
    narrow(ty).is_some() && matches!(op, Add | Subtract | Multiply | Divide | ShiftLeft)
}

/// Returns whether the result of a prefix operator can leave the range of such a type.
pub(super) fn prefix_can_overflow(op: Unary, ty: &Type) -> bool {
    narrow(ty).is_some() && matches!(op, Unary::Negate | Unary::Complement)
}

/// Returns the result of `as` on a float: the nearest value of the type.
pub(super) fn clamped(piece: &Piece, ty: &Type) -> Option<Text> {
    let (scalar, _) = narrow(ty)?;
    let (least, greatest) = scalar.range()?;
    let ends = [least, greatest].map(|end| Text::from(format!("f32({end})")));
    let [least, greatest] = ends;
    Some(call("clamp", &[piece.argument(), least, greatest]))
}
