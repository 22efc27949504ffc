//! Integers of 8 and 16 bits. WGSL computes with 32 bits, and results outside the range wrap around.

use super::expr::{Piece, Precedence};
use super::place::call;
use super::text::Text;
use crate::tree::{Binary, Scalar, Type, Unary};

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
