//! `bitcast::<T>(x)`: the only function whose result type does not follow from its arguments.

use super::super::tree::{ExprKind, Place, Scalar};
use super::body::{Body, Node};
use super::errors::{place, refuse};
use super::infer::{Ty, VariableKind};
use super::obligations::Obligation;
use super::operators::Shape;
use syn::{ExprCall, GenericArgument, PathArguments};

impl Body<'_, '_> {
    /// Lowers `bitcast(x)`. The type is given by `::<T>`, or inferred from the context.
    pub fn bitcast(&mut self, path: &syn::Path, call: &ExprCall) -> syn::Result<Node> {
        let arguments: Vec<&syn::Expr> = call.args.iter().collect();
        let [argument] = arguments[..] else {
            return refuse(place(call), "`bitcast` takes 1 argument");
        };
        let node = self.value(argument);
        let given = path.segments.last().map(|segment| &segment.arguments);
        let to = match given {
            Some(PathArguments::AngleBracketed(given)) => {
                match given.args.iter().collect::<Vec<_>>()[..] {
                    [GenericArgument::Type(syn::Type::Infer(_))] => {
                        self.types.fresh(VariableKind::Any)
                    }
                    [GenericArgument::Type(ty)] => self.items.ty(ty)?.into(),
                    _ => return refuse(place(given), "missing type: write `bitcast::<u32>(…)`"),
                }
            }
            _ => self.types.fresh(VariableKind::Any),
        };
        self.add_obligation(Obligation::Bits {
            from: node.ty.clone(),
            to: to.clone(),
            place: place(call),
        });
        let diverges = node.diverges;
        Ok(Node { kind: ExprKind::Bitcast(Box::new(node)), ty: to, diverges, place: place(call) })
    }

    /// Checks that two types have the same number of bits. Returns whether this is decided.
    pub fn check_bits(&mut self, from: &Ty, to: &Ty, place: Place, last: bool) -> bool {
        let components = |shape| match shape {
            Shape::Integer | Shape::Float => Some(1),
            Shape::Of(Scalar::Bool | Scalar::Usize | Scalar::Isize, _) => None,
            Shape::Of(scalar, _) if scalar.is_wide() => None,
            Shape::Of(_, components) => Some(components.unwrap_or(1)),
            _ => None,
        };
        for ty in [from, to] {
            if self.types.open(ty) == Some(VariableKind::Length) {
                self.types.unify(ty, &Ty::U32);
            }
        }
        let (source, target) = (self.shape(from), self.shape(to));
        match (source, target) {
            (Shape::Error, _) | (_, Shape::Error) => return true,
            (Shape::Unknown, _) | (_, Shape::Unknown) => {
                if last {
                    self.report(place, "type annotations needed: write `bitcast::<u32>(…)`");
                }
                return last;
            }
            _ => {}
        }
        if components(source).is_none() || components(source) != components(target) {
            let (from, to) = (self.describe(from), self.describe(to));
            let why = "both must be numbers, or vectors with the same number of components, of the same width";
            self.report(place, format!("`{from}` cannot be bit-cast to `{to}`: {why}"));
        }
        true
    }
}
