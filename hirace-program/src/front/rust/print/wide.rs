//! Integers of 64 bits and `f16`, and what naga does not do of them. What its constant evaluator cannot compute, or what is
//! infinite, it refuses, so that is left for when the kernel runs: in a variable, which nothing looks through.

use super::body::Body;
use super::expr::{Effect, Piece};
use super::place::call;
use super::text::Text;
use crate::front::rust::builtins::{Builtin, Emit};
use crate::front::rust::tree::{Expr, ExprKind, Scalar, Type};
use crate::front::rust::walk;

impl Body<'_> {
    /// Binds an operand to a name if an operator has constants alone.
    pub(super) fn not_computed(&mut self, left: &Expr, right: &Expr, piece: &mut Piece) {
        if left.ty.is_computed_late() && is_constant(left) && is_constant(right) {
            self.bind_constant(piece, left);
        }
    }

    /// Likewise what a function is called with: its template may have operators of each.
    pub(super) fn not_computed_of(
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

    /// A conversion of constants alone.
    pub(super) fn converted_when_run(&mut self, inner: &Expr, expr: &Expr) -> Option<Piece> {
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

/// Whether a name for this is a variable: wgpu looks through `let`, and would have naga compute what is made of it.
pub(super) fn is_computed_late(value: &Expr) -> bool {
    is_constant(value) && has_late(value)
}

fn has_late(expr: &Expr) -> bool {
    let mut found = expr.ty.is_computed_late();
    walk::children(expr, &mut |child| found = found || has_late(child));
    found
}

/// What an integer of less bits becomes before it is one of 64 with or without a sign, if it has none or one: naga's
/// SPIR-V extends it by the sign of the type that it becomes, not by its own.
pub(super) fn by_way_of(from: &Type, to: &Type) -> Option<Scalar> {
    let (Type::Scalar(from), Type::Scalar(to)) = (from, to) else { return None };
    let other_sign = from.is_integer() && !from.is_wide() && from.is_signed() != to.is_signed();
    (to.is_wide() && other_sign).then(|| to.with_sign(from.is_signed()))
}

/// Whether WGSL takes an expression for one of constants.
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
