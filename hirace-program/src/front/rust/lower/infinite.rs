//! `f32::INFINITY`, `f32::NEG_INFINITY`, `f32::NAN`: WGSL has constants of finite numbers alone, and refuses an expression of
//! constants that is none. So the bits are put into a variable first, of which nothing is computed before the kernel runs.

use super::super::tree::{ExprKind, Place, Scalar, Type};
use super::body::{Body, Node};
use super::control::after;
use super::errors::refuse;
use super::infer::Ty;
use super::made::At;

impl Body<'_, '_> {
    /// The number that is not finite of this name; `None` if there is none.
    pub fn infinite(&mut self, of: &Type, name: &str, extent: Place) -> Option<syn::Result<Node>> {
        let bits = match (of, name) {
            (Type::Scalar(Scalar::F32), "INFINITY") => f32::INFINITY,
            (Type::Scalar(Scalar::F32), "NEG_INFINITY") => f32::NEG_INFINITY,
            (Type::Scalar(Scalar::F32), "NAN") => f32::NAN,
            _ => return None,
        };
        if self.constant {
            let message =
                "WGSL has no constants that are no finite numbers: write this where it is used";
            return Some(refuse(extent, message));
        }
        let at = At(extent);
        let bits = at.number(bits.to_bits().into(), &Ty::U32);
        let mut statements = Vec::new();
        let bits = self.named_variable("bits", bits, &mut statements);
        let value = at.node(ExprKind::Bitcast(Box::new(bits)), &Scalar::F32.into());
        Some(Ok(after(statements, value)))
    }
}
