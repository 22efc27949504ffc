//! What is known of integers of 64 bits while compiling: naga computes none of that, and refuses it.

use super::super::tree::{Binary, Expr, ExprKind, Literal, Scalar, Type};
use super::body::Body;
use super::evaluate::{self, Value, evaluate};

impl Body<'_, '_> {
    /// What an operator makes of two integers of 64 bits that are known, as a literal.
    pub fn folded(&self, operator: Binary, left: &Expr, right: &Expr) -> Option<ExprKind> {
        let module = &self.items.module;
        let bits = evaluate::bits_of(&left.ty);
        let (a, b) = (evaluate(module, left)?, evaluate(module, right)?);
        match evaluate::binary(operator, a, b, bits)? {
            Value::Int(value) if left.ty.is_wide() => Some(ExprKind::Literal(Literal::Int(value))),
            _ => None,
        }
    }

    /// Likewise what an integer of 64 bits is as another type.
    pub fn folded_conversion(&self, inner: &Expr, to: &Type) -> Option<ExprKind> {
        let (Type::Scalar(to), true) = (to, inner.ty.is_wide()) else { return None };
        let Value::Int(value) = evaluate(&self.items.module, inner)? else { return None };
        Some(ExprKind::Literal(match to {
            Scalar::F32 => Literal::Float(value as f32),
            to => Literal::Int(evaluate::wrapped(value, *to)?),
        }))
    }
}
