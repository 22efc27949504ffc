//! Non-finite numbers: `f32::INFINITY`, `f32::NEG_INFINITY`, `f32::NAN`, and those of `f16`. WGSL rejects constant
//! expressions that are not finite. The bits are therefore put into a variable first, which is not evaluated before
//! the kernel runs.

use super::super::builtins::half_constant;
use super::super::tree::{ExprKind, Literal, Place, Scalar, Type};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::refuse;
use super::infer::Ty;

impl Body<'_, '_> {
    /// Returns `half`'s constant of this name, or the non-finite `f32` constant, or `None` if there is none.
    pub fn float_constant(
        &mut self,
        of: &Type,
        name: &str,
        extent: Place,
    ) -> Option<syn::Result<Node>> {
        let value = match (of, name) {
            (Type::Scalar(Scalar::F16), name) => half_constant(name)?.to_f32(),
            (Type::Scalar(Scalar::F32), "INFINITY") => f32::INFINITY,
            (Type::Scalar(Scalar::F32), "NEG_INFINITY") => f32::NEG_INFINITY,
            (Type::Scalar(Scalar::F32), "NAN") => f32::NAN,
            _ => return None,
        };
        let (at, of) = (NodeBuilder(extent), Ty::from(of));
        if value.is_finite() {
            return Some(Ok(at.node(ExprKind::Literal(Literal::Float(value)), &of)));
        }
        if self.constant {
            let message =
                "WGSL has no constants that are not finite: write the value where it is used";
            return Some(refuse(extent, message));
        }
        let bits = at.number(value.to_bits().into(), &Ty::U32);
        let mut statements = Vec::new();
        let bits = self.named_variable("bits", bits, &mut statements);
        let value = at.node(ExprKind::Bitcast(Box::new(bits)), &Scalar::F32.into());
        Some(Ok(after(statements, at.convert(value, &of))))
    }
}
