//! The values of a helper's const parameters: given at its call, or inferred from the lengths of arrays.

use super::super::tree::{ConstId, Count, ExprKind, FunctionId, Literal, Place};
use super::body::{Body, Node};
use super::errors::{already_reported, place, refuse};
use super::evaluate::{Value, evaluate};
use super::infer::{Ty, VariableKind};
use syn::{GenericArgument, PathArguments};

impl Body<'_, '_> {
    /// Returns whether a path leads to a function with const parameters.
    pub fn has_parameters(&self, names: &[String]) -> bool {
        let name = match names {
            [name] => name,
            [of, name] if of == "self" => name,
            // Associated functions are checked at their declarations.
            [.., name] => return self.items.callables.associated.contains_key(name),
            [] => return false,
        };
        let callable = self.items.callables.free.get(name).map(|id| self.items.callables.get(*id));
        callable.is_some_and(|callable| {
            super::callables::generic_arguments(&callable.head.generics).next().is_some()
        })
    }

    /// Returns the values of the const parameters `order` of the helper `name` in a call with `path`. The type of such
    /// a value is its length, which may be inferred later.
    pub fn const_arguments(
        &mut self,
        name: &str,
        order: &[ConstId],
        path: &syn::Path,
    ) -> syn::Result<Vec<Node>> {
        let given = match path.segments.last().map(|segment| &segment.arguments) {
            Some(PathArguments::AngleBracketed(given)) => Some(given),
            _ => None,
        };
        if let Some(given) = given
            && given.args.len() != order.len()
        {
            let (wanted, found) = (order.len(), given.args.len());
            let noun = if wanted == 1 { "const parameter" } else { "const parameters" };
            return refuse(place(given), format!("`{name}` has {wanted} {noun}, not {found}"));
        }
        let mut values = Vec::new();
        for (index, &id) in order.iter().enumerate() {
            let argument = given.and_then(|given| given.args.iter().nth(index));
            let value = argument.map(written).transpose()?.flatten();
            values.push(match value {
                Some(value) => self.const_argument(id, &value)?,
                None if self.items.type_of_constant(id) == Ty::USIZE => {
                    let length = self.types.fresh(VariableKind::Any);
                    self.node(ExprKind::Construct(Vec::new()), length, path)
                }
                None => return refuse(place(path), self.uninferred_constant_message(name, id)),
            });
        }
        Ok(values)
    }

    fn const_argument(&mut self, id: ConstId, written: &syn::Expr) -> syn::Result<Node> {
        let ty = self.items.type_of_constant(id);
        let value = Body::constant(self.items, written, &ty).ok_or_else(already_reported)?;
        let kind = match (evaluate(&self.items.module, &value), value.kind) {
            (Some(Value::Int(number)), _) => ExprKind::Literal(Literal::Int(number)),
            (Some(Value::Bool(flag)), _) => ExprKind::Literal(Literal::Bool(flag)),
            (_, ExprKind::Const(id)) => ExprKind::Const(id),
            _ => {
                return refuse(
                    place(written),
                    "this value is not a literal or a constant: declare a `const` for it",
                );
            }
        };
        let ty = match (&kind, ty) {
            (ExprKind::Const(id), Ty::USIZE) => Ty::Length(Count::Const(*id)),
            (ExprKind::Literal(Literal::Int(number)), Ty::USIZE) => {
                let Ok(number) = u32::try_from(*number) else {
                    return refuse(place(written), format!("{number} is not a valid array length"));
                };
                Ty::Length(Count::Literal(number))
            }
            (_, ty) => ty,
        };
        Ok(self.node(kind, ty, written))
    }

    /// Reports the lengths of a call that could not be inferred.
    pub fn report_uninferred_lengths(
        &mut self,
        callee: FunctionId,
        arguments: &[Node],
        place: Place,
    ) {
        let Some(signature) = self.items.signatures.get(callee.0) else { return };
        let (name, order) = (signature.name.text.clone(), signature.order.clone());
        for (id, length) in order.into_iter().zip(arguments) {
            if self.types.open(&length.ty).is_some() {
                let message = self.uninferred_constant_message(&name, id);
                self.report(place, message);
                self.types.unify(&length.ty, &Ty::Error);
            }
        }
    }

    fn uninferred_constant_message(&self, name: &str, id: ConstId) -> String {
        let constant = &self.items.module.consts[id.0].name.text;
        format!("cannot infer `{constant}`: write `{name}::<…>(…)`")
    }
}

/// Returns a const argument as an expression, or `None` for `_`.
fn written(argument: &GenericArgument) -> syn::Result<Option<syn::Expr>> {
    Ok(match argument {
        GenericArgument::Const(value) => Some(value.clone()),
        GenericArgument::Type(syn::Type::Infer(_)) => None,
        GenericArgument::Type(syn::Type::Path(path)) if path.qself.is_none() => {
            let path = path.path.clone();
            Some(syn::Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path }))
        }
        other => {
            return refuse(
                place(other),
                "expected a const argument: helpers have only const parameters",
            );
        }
    })
}
