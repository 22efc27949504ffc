//! Work-arounds for 64-bit integers and `f16` in naga. naga rejects constant expressions that its evaluator cannot
//! compute or whose result is infinite. Such operations are deferred to run time by putting an operand into a
//! variable, which constant evaluation does not look through.

use super::body::Body;
use super::expr::{Effect, Piece};
use super::place::call;
use super::text::Text;
use crate::builtins::{Builtin, Emit};
use crate::tree::{Expr, ExprKind, Scalar, Type};
use crate::walk;

impl Body<'_> {
    /// Binds an operand to a variable if both operands of an operator are constants.
    pub(super) fn defer_operand(&mut self, left: &Expr, right: &Expr, piece: &mut Piece) {
        if left.ty.is_computed_late() && is_constant(left) && is_constant(right) {
            self.bind_constant(piece, left);
        }
    }

    /// Binds the arguments of a function in the same way, because its template may contain operators on each of them.
    pub(super) fn defer_arguments(
        &mut self,
        builtin: &Builtin,
        (arguments, result): (&[Expr], &Expr),
        pieces: &mut [Piece],
    ) {
        let late = result.ty.is_computed_late()
            || arguments.iter().any(|argument| argument.ty.is_computed_late());
        let is_template = !matches!(builtin.emit, Emit::Call(_) | Emit::Retried(_));
        if late && (is_template || arguments.iter().all(is_constant)) {
            for (argument, piece) in arguments.iter().zip(pieces) {
                if is_constant(argument) {
                    self.bind_constant(piece, argument);
                }
            }
        }
    }

    /// Prints a conversion whose operand is constant.
    pub(super) fn deferred_conversion(&mut self, inner: &Expr, expr: &Expr) -> Option<Piece> {
        let of_float = inner.ty == Type::Scalar(Scalar::F32) && expr.ty.is_computed_late();
        if !(inner.ty.is_computed_late() || of_float) || !is_constant(inner) {
            return None;
        }
        let mut piece = self.value(inner);
        self.bind_constant(&mut piece, inner);
        Some(Piece { text: call(&self.scope.ty(&expr.ty), &[piece.text]), ..piece })
    }

    fn bind_constant(&mut self, piece: &mut Piece, of: &Expr) {
        let name = self.fresh("value");
        let line = format!("var {name}: {} = ", self.scope.ty(&of.ty));
        self.line(Text::from(line).text(&piece.text).str(";"));
        *piece = Piece::primary(name, Effect::Constant);
    }
}

/// Returns whether a name for this value must be a variable: wgpu looks through `let` and lets naga evaluate
/// expressions that use it.
pub(super) fn is_computed_late(value: &Expr) -> bool {
    is_constant(value) && has_late(value)
}

fn has_late(expr: &Expr) -> bool {
    let mut found = expr.ty.is_computed_late();
    walk::children(expr, &mut |child| found = found || has_late(child));
    found
}

/// Returns the intermediate type for a conversion from a narrower integer to a 64-bit integer of the other signedness.
/// naga's SPIR-V backend extends by the sign of the target type instead of the source type.
pub(super) fn intermediate_scalar(from: &Type, to: &Type) -> Option<Scalar> {
    let (Type::Scalar(from), Type::Scalar(to)) = (from, to) else { return None };
    let other_sign = from.is_integer() && !from.is_wide() && from.is_signed() != to.is_signed();
    (to.is_wide() && other_sign).then(|| to.with_sign(from.is_signed()))
}

/// Returns whether WGSL considers an expression to be constant.
fn is_constant(expr: &Expr) -> bool {
    let mut constant = match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Const(_) | ExprKind::Verbatim(_) => return true,
        ExprKind::Index(..)
        | ExprKind::Member(..)
        | ExprKind::Swizzle(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Convert(_)
        | ExprKind::Bitcast(_)
        | ExprKind::Construct(_)
        | ExprKind::Builtin(..) => true,
        _ => return false,
    };
    walk::children(expr, &mut |child| constant = constant && is_constant(child));
    constant
}
