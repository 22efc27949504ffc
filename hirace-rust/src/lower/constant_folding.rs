//! Constant folding of 64-bit integers and `f16`. naga does not evaluate 64-bit integer operations, and it rejects
//! `f16` results that are infinite in Rust.

use super::super::builtins;
use super::super::tree::{Binary, Expr, ExprKind, Literal, Scalar, Type};
use super::body::Body;
use super::evaluate::{self, Value, evaluate};

impl Body<'_, '_> {
    /// Applies an operator to two known 64-bit integers and returns a literal.
    pub fn folded(&self, operator: Binary, left: &Expr, right: &Expr) -> Option<ExprKind> {
        let module = &self.items.module;
        let bits = evaluate::bits_of(&left.ty);
        let (a, b) = (evaluate(module, left)?, evaluate(module, right)?);
        match evaluate::binary(operator, a, b, bits)? {
            Value::Int(value) if left.ty.is_wide() => Some(ExprKind::Literal(Literal::Int(value))),
            _ => None,
        }
    }

    /// Converts a value to a type, at compile time if its value is known.
    pub fn conversion_of(&self, inner: Box<Expr>, to: Option<&Type>) -> ExprKind {
        if let Some(exact) =
            to.filter(|_| !self.constant).and_then(|to| builtins::float_conversion(&inner.ty, to))
        {
            return ExprKind::Builtin(exact, vec![*inner], None);
        }
        // `x as T` for an `x` of type `T` is `x`. `N as u32` for a `usize` constant is the constant, as required for
        // const arguments. Any other value that WGSL represents in the same way is converted, because its type selects
        // the arithmetic.
        let same = to.is_some_and(|to| match inner.kind {
            ExprKind::Const(_) => inner.ty.is_same_in_wgsl(to),
            _ => inner.ty == *to,
        });
        match to.and_then(|to| self.folded_conversion(&inner, to)) {
            _ if same => inner.kind,
            Some(literal) => literal,
            None => ExprKind::Convert(inner),
        }
    }

    /// Converts a known number to another type.
    fn folded_conversion(&self, inner: &Expr, to: &Type) -> Option<ExprKind> {
        let Type::Scalar(to) = to else { return None };
        let half = *to == Scalar::F16 || inner.ty == Type::Scalar(Scalar::F16);
        Some(ExprKind::Literal(match (&inner.kind, to) {
            (ExprKind::Literal(number), to) if half && to.is_float() => {
                let value = match *number {
                    Literal::Int(value) => value as f32,
                    Literal::Float(value) => value,
                    Literal::Bool(_) => return None,
                };
                Literal::Float(Some(to.rounded(value)).filter(|value| value.is_finite())?)
            }
            _ if !inner.ty.is_wide() => return None,
            (_, to) => {
                let Value::Int(value) = evaluate(&self.items.module, inner)? else { return None };
                match to {
                    Scalar::F32 => Literal::Float(value as f32),
                    to => Literal::Int(evaluate::wrapped(value, *to)?),
                }
            }
        }))
    }
}
