//! Conversions with `as`.

use super::super::tree::{ExprKind, Place, Scalar, Type};
use super::body::{Body, Node};
use super::errors::place;
use super::infer::{Ty, VariableKind};
use super::obligations::Obligation;
use super::operators::Shape;
use syn::ExprCast;

impl Body<'_, '_> {
    /// Lowers `x as T`.
    pub fn cast(&mut self, cast: &ExprCast) -> syn::Result<Node> {
        let node = self.value(&cast.expr);
        let to = match &*cast.ty {
            syn::Type::Infer(_) => self.types.fresh(VariableKind::Any),
            ty => self.items.ty(ty)?.into(),
        };
        // As in rustc, a literal gets the type that it is cast to, if that is possible.
        if matches!(node.kind, ExprKind::Literal(_))
            && self.types.open(&node.ty) == Some(VariableKind::Integer)
            && matches!(&to, Ty::Plain(Type::Scalar(scalar)) if scalar.is_integer())
        {
            self.types.unify(&node.ty, &to);
        }
        self.add_obligation(Obligation::Cast {
            from: node.ty.clone(),
            to: to.clone(),
            place: place(cast),
        });
        let diverges = node.diverges;
        Ok(Node { kind: ExprKind::Convert(Box::new(node)), ty: to, diverges, place: place(cast) })
    }

    /// Returns whether a type is an enum without fields.
    pub fn is_fieldless(&self, ty: &Ty) -> bool {
        let variants = self.items.variants(&self.types.shallow(ty));
        variants.is_some_and(|all| all.iter().all(|variant| variant.parts.is_empty()))
    }

    /// Checks that `from as to` is allowed. Returns whether this is decided.
    pub fn check_cast(&mut self, from: &Ty, to: &Ty, place: Place, last: bool) -> bool {
        use Shape::*;
        let (source, target) = (self.shape(from), self.shape(to));
        let instead = match (source, target) {
            (Error, _) | (_, Error) => return true,
            (Unknown, _) | (_, Unknown) => {
                if last {
                    self.report(place, "type annotations needed for this conversion");
                }
                return last;
            }
            (Of(Scalar::F16, None), Of(Scalar::F16, None)) => return true,
            (Of(Scalar::F16, None), Of(Scalar::F32, None)) => "write `….to_f32()`",
            (Of(Scalar::F16, None), Of(_, None)) => "convert it to `f32` first, `….to_f32()`",
            (Of(Scalar::F32, None) | Float, Of(Scalar::F16, None)) => "write `f16::from_f32(…)`",
            (Of(_, None) | Integer, Of(Scalar::F16, None)) => {
                "convert it to `f32` first, `f16::from_f32(… as f32)`"
            }
            (Of(Scalar::Bool, None), Of(Scalar::F32, None)) => "write `select(0.0, 1.0, …)`",
            (_, Of(Scalar::Bool, None)) if source == target => return true,
            (_, Of(Scalar::Bool, None)) => "compare it, `… != 0`",
            (Of(_, None) | Integer | Float, Of(_, None)) => return true,
            (Other, Of(to, None)) if to.is_integer() && self.is_fieldless(from) => return true,
            (Of(_, Some(_)), Of(_, Some(_))) => {
                "use a method, `.as_vec3()`, `.as_uvec3()` or `.as_ivec3()`"
            }
            _ => "`as` converts only between numbers",
        };
        let (from, to) = (self.describe(from), self.describe(to));
        self.report(place, format!("`{from}` cannot be converted to `{to}` with `as`: {instead}"));
        true
    }
}
