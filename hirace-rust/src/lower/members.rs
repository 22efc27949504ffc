//! Associated functions and constants, from an `impl` or provided by a trait, and operators implemented by them.

use super::super::tree::{Binary, Type, Unary};
use super::body::{Body, Node, error_node};
use super::callables::{Callable, CallableId, lent};
use super::errors::{place, refuse};
use super::infer::Ty;
use super::places::is_place;
use syn::ExprMethodCall;

impl Body<'_, '_> {
    /// Returns the associated functions of this name that a type has.
    pub fn associated(&mut self, of: &Ty, name: &str) -> Vec<CallableId> {
        let named = self.items.callables.associated.get(name).cloned().unwrap_or_default();
        named.into_iter().filter(|id| self.is_of(*id, of)).collect()
    }

    /// Returns whether an associated function belongs to a type.
    fn is_of(&mut self, id: CallableId, of: &Ty) -> bool {
        let Callable { owner: Some(owner), .. } = self.items.callables.get(id) else {
            return false;
        };
        if owner.generics.params.is_empty() {
            // An error in the type has been reported.
            return self.items.ty(owner.of).is_ok_and(|ty| self.types.deep(of) == ty.into());
        }
        let known = self.types.deep(of);
        let mut names = self.open_names(owner.generics);
        self.open_type(owner.of, &mut names).is_ok_and(|ty| self.types.unify(&ty, &known))
    }

    /// Lowers `receiver.method(…)` if the receiver's type has such a method. Otherwise returns the receiver.
    pub fn own_method(
        &mut self,
        receiver: Node,
        name: &str,
        call: &ExprMethodCall,
    ) -> syn::Result<Result<Node, Node>> {
        let of = self.types.shallow(&receiver.ty).referent().clone();
        let mut found = self.associated(&of, name);
        found.retain(|id| self.items.callables.get(*id).is_method());
        let Some(id) = found.first().copied() else { return Ok(Err(receiver)) };
        let arguments: Vec<Node> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let receiver = self.lent(id, receiver)?;
        let extent = place(call);
        let all = std::iter::once(receiver).chain(arguments).collect();
        self.call_callable(id, Some(&of), call.turbofish.as_ref(), all, extent).map(Ok)
    }

    /// Converts a receiver to the form that the method takes: by value or by reference.
    fn lent(&mut self, id: CallableId, receiver: Node) -> syn::Result<Node> {
        let callable = self.items.callables.get(id);
        let wanted = callable.head.receiver().and_then(lent);
        let given = self.types.shallow(&receiver.ty);
        Ok(match (wanted, given) {
            (None, Ty::Reference(_, to)) => Node { ty: *to, ..receiver },
            (None, _) | (Some(_), Ty::Reference(..)) => receiver,
            (Some(true), ty) => {
                if !is_place(&receiver) {
                    let message =
                        "this method modifies its receiver: bind the value with `let mut` first";
                    return refuse(receiver.place, message);
                }
                self.writes(&receiver)?;
                Node { ty: Ty::Reference(true, Box::new(ty)), ..receiver }
            }
            (Some(false), ty) => Node { ty: Ty::Reference(false, Box::new(ty)), ..receiver },
        })
    }

    /// Lowers `T::name(…)` for a user's function, or returns `None` if the type has none.
    pub fn own_associated(
        &mut self,
        of: &Type,
        name: &str,
        path: &syn::Path,
        call: &syn::ExprCall,
    ) -> Option<syn::Result<Node>> {
        let of = Ty::from(of);
        let found = self.associated(&of, name);
        let first = *found.first()?;
        let arguments: Vec<Node> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let id = self.taking(&found, &arguments).unwrap_or(first);
        let given = path.segments.last().and_then(|segment| match &segment.arguments {
            syn::PathArguments::AngleBracketed(given) => Some(given),
            _ => None,
        });
        Some(self.call_callable(id, Some(&of), given, arguments, place(call)))
    }

    /// Lowers `Trait::method(x, …)` to the method of the first argument's type.
    pub fn call_of_trait(&mut self, name: &str, call: &syn::ExprCall) -> syn::Result<Node> {
        let mut arguments: Vec<Node> =
            call.args.iter().map(|argument| self.expr(argument)).collect();
        if arguments.is_empty() {
            return refuse(
                place(call),
                "cannot infer the type of this associated item: write `T::…`",
            );
        }
        let of = self.known_type(&arguments[0])?;
        if of == Ty::Error {
            return Ok(error_node(place(call)));
        }
        let Some(id) = self.associated(&of, name).first().copied() else {
            let named = self.describe(&of);
            return refuse(place(&call.func), format!("`{named}` has no function `{name}`"));
        };
        let first = arguments.remove(0);
        let first =
            if self.items.callables.get(id).is_method() { self.lent(id, first)? } else { first };
        arguments.insert(0, first);
        self.call_callable(id, Some(&of), None, arguments, place(call))
    }

    /// Chooses the function that accepts these arguments, for example between `impl Mul<f32>` and `impl Mul<Vec2>`.
    fn taking(&mut self, found: &[CallableId], arguments: &[Node]) -> Option<CallableId> {
        found.iter().copied().find(|id| {
            let callable = self.items.callables.get(*id);
            let Some(owner) = callable.owner else { return false };
            if !owner.generics.params.is_empty() || callable.head.inputs.len() != arguments.len() {
                return false;
            }
            let Ok(of) = self.items.ty(owner.of) else { return false };
            callable.head.inputs.iter().zip(arguments).all(|(parameter, argument)| {
                let syn::FnArg::Typed(typed) = parameter else { return true };
                let mut names = vec![("Self".to_owned(), Ty::from(&of))];
                let Ok(wanted) = self.open_type(&typed.ty, &mut names) else { return false };
                let given = self.types.deep(&argument.ty).referent().clone();
                match self.types.open(&given) {
                    Some(kind) => kind.may_become(wanted.referent()),
                    None => given == *wanted.referent(),
                }
            })
        })
    }

    /// Lowers `left operator right` if an `impl` defines the operator.
    pub fn own_operator(
        &mut self,
        name: &str,
        left: &Node,
        right: Option<&Node>,
        extent: super::super::tree::Place,
    ) -> Option<syn::Result<Node>> {
        if !self.items.callables.associated.contains_key(name) {
            return None;
        }
        self.resolve_obligations();
        let of = self.types.shallow(&left.ty).referent().clone();
        // A number before a user's type: `2.0 * v`.
        let of = match self.types.open(&of) {
            Some(super::infer::VariableKind::Float) if right.is_some() => {
                Ty::from(super::super::tree::Scalar::F32)
            }
            Some(_) => return None,
            None => of,
        };
        let found = self.associated(&of, name);
        let mut arguments = vec![left.clone()];
        arguments.extend(right.cloned());
        if let ("eq" | "ne", [_, right]) = (name, &mut arguments[..])
            && !matches!(self.types.shallow(&right.ty), Ty::Reference(..))
        {
            // Comparison operators take references.
            right.ty = Ty::Reference(false, Box::new(right.ty.clone()));
        }
        let id = match (&found[..], right) {
            ([], _) => return None,
            ([only], _) if !is_number(&of) => *only,
            (several, _) => self.taking(several, &arguments)?,
        };
        let lent = match self.lent(id, left.clone()) {
            Ok(lent) => lent,
            Err(error) => return Some(Err(error)),
        };
        arguments[0] = lent;
        Some(self.call_callable(id, Some(&of), None, arguments, extent))
    }
}

fn is_number(ty: &Ty) -> bool {
    matches!(ty, Ty::Plain(Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. }))
}

/// Returns the method of the operator's trait, and of the compound assignment's trait.
pub fn method_of(operator: Binary) -> Option<(&'static str, &'static str)> {
    Some(match operator {
        Binary::Add => ("add", "add_assign"),
        Binary::Subtract => ("sub", "sub_assign"),
        Binary::Multiply => ("mul", "mul_assign"),
        Binary::Divide => ("div", "div_assign"),
        Binary::Remainder => ("rem", "rem_assign"),
        Binary::And => ("bitand", "bitand_assign"),
        Binary::Or => ("bitor", "bitor_assign"),
        Binary::Xor => ("bitxor", "bitxor_assign"),
        Binary::ShiftLeft => ("shl", "shl_assign"),
        Binary::ShiftRight => ("shr", "shr_assign"),
        Binary::Equal => ("eq", ""),
        Binary::NotEqual => ("ne", ""),
        _ => return None,
    })
}

/// Returns the method of a prefix operator's trait.
pub fn method_of_prefix(operator: Unary) -> &'static str {
    match operator {
        Unary::Negate => "neg",
        Unary::Not | Unary::Complement => "not",
    }
}
