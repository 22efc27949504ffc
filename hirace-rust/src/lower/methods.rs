//! Methods of glam, `std` and atomics, and methods that have no row in the table of built-in functions.

use super::super::builtins;
use super::super::tree::{ExprKind, Pattern, Scalar, Type};
use super::adaptors::nth_of;
use super::body::{Body, Node, error_node};
use super::build::NodeBuilder;
use super::consumers;
use super::control::after;
use super::errors::{at, place, refuse};
use super::expressions::without_parentheses;
use super::infer::{Ty, VariableKind};
use super::names::text;
use super::places::components;
use super::slices::gives_element;
use crate::ir::order::Scope;
use syn::{Expr, ExprMethodCall};

impl Body<'_, '_> {
    /// Lowers `receiver.method(…)`.
    pub fn method_call(&mut self, call: &ExprMethodCall) -> syn::Result<Node> {
        if call.method == "contains"
            && let Some(range) = self.range(&call.receiver)
        {
            return self.contains(&range, call);
        }
        if let std::borrow::Cow::Owned(receiver) = self.with_chains(&call.receiver) {
            let receiver = Box::new(receiver);
            return self.method_call(&ExprMethodCall { receiver, ..call.clone() });
        }
        if consumers::consumes(call) {
            return self.lower_consumer(call);
        }
        if let Some((chain, nth)) = nth_of(&Expr::MethodCall(call.clone())) {
            let mut statements = Vec::new();
            let (there, item) = self.nth(chain, nth, &mut statements, place(call))?;
            return Ok(after(statements, NodeBuilder(place(call)).some_if(there, item)));
        }
        if self.within(call)?.is_some() {
            let message = "expected an atomic operation after `within`: write `x.within(Scope::Workgroup).load(…)`";
            return refuse(place(call), message);
        }
        if let Expr::MethodCall(within) = without_parentheses(&call.receiver)
            && let Some(scope) = self.within(within)?
        {
            let receiver = self.expr(&within.receiver);
            return self.method_within(receiver, call, Some(scope));
        }
        let receiver = self.expr(&call.receiver);
        self.method_of(receiver, call)
    }

    /// Lowers a method call with a receiver that has been lowered.
    pub fn method_of(&mut self, receiver: Node, call: &ExprMethodCall) -> syn::Result<Node> {
        self.method_within(receiver, call, None)
    }

    /// Lowers a method call with a receiver that has been lowered, and the scope of an atomic operation.
    fn method_within(
        &mut self,
        receiver: Node,
        call: &ExprMethodCall,
        scope: Option<Scope>,
    ) -> syn::Result<Node> {
        let name = text(&call.method);
        let ty = self.known_type(&receiver)?;
        if ty == Ty::Error {
            self.evaluate_all(&call.args);
            return Ok(error_node(place(call)));
        }
        if matches!(ty, Ty::Array(..) | Ty::Slice(_)) && gives_element(call) {
            return self.element_value(receiver, ty, call);
        }
        let own = matches!(ty, Ty::Plain(Type::Struct(_)) | Ty::Enum(..));
        let receiver = match own {
            true => match self.own_method(receiver, &name, call)? {
                Ok(called) => return Ok(called),
                Err(receiver) => receiver,
            },
            false => receiver,
        };
        let arguments: Vec<&Expr> = call.args.iter().collect();
        if let Some(called) = self.lower_from(&receiver, &name, call)? {
            return Ok(called);
        }
        if name == "into" && call.args.is_empty() {
            let value = Node { ty: ty.clone(), ..receiver };
            return Ok(self.lower_into(value, place(call)));
        }
        if let Some(called) = self.optional_method(&receiver, &name, call)? {
            return Ok(called);
        }
        if let Ty::Enum(..) = ty {
            let called = self.variant_method(&receiver, &name, &arguments, place(call))?;
            if let Some(called) = called {
                return Ok(called);
            }
        }
        match (&ty, name.as_str(), &arguments[..]) {
            (Ty::Array(..) | Ty::Slice(_), "len", []) => return self.len(receiver, &ty, call),
            (Ty::Plain(Type::Vector(size, scalar)), _, []) if is_swizzle(&name, *size) => {
                let all = components(&name, *size).unwrap_or_default();
                let ty = Ty::Plain(Type::Vector(all.len() as u8, *scalar));
                let diverges = receiver.diverges;
                let kind = ExprKind::Swizzle(Box::new(receiver), all);
                return Ok(Node { kind, ty, diverges, place: place(call) });
            }
            (Ty::Plain(Type::Matrix { rows, .. }), "col" | "col_mut", [index]) => {
                let index = self.value(index);
                let index = self.index_value(index);
                let column = Ty::Plain(Type::Vector(*rows, Scalar::F32));
                let diverges = receiver.diverges || index.diverges;
                let receiver = Node { ty: ty.clone(), ..receiver };
                if name == "col_mut" {
                    self.writes(&receiver)?;
                }
                let kind = ExprKind::Index(Box::new(receiver), Box::new(index));
                let ty = if name == "col" { column } else { Ty::Reference(true, Box::new(column)) };
                return Ok(Node { kind, ty, diverges, place: place(call) });
            }
            (Ty::Plain(Type::Atomic(scalar)), "plain", []) => {
                let ty = Ty::Reference(true, Box::new((*scalar).into()));
                let diverges = receiver.diverges;
                let receiver = Node { ty: Ty::Plain(Type::Atomic(*scalar)), ..receiver };
                let kind = ExprKind::Plain(Box::new(receiver));
                return Ok(Node { kind, ty, diverges, place: place(call) });
            }
            (Ty::Plain(Type::Exchange(_)), "is_ok" | "is_err", []) => {
                let at = NodeBuilder(place(call));
                let found = Pattern::ExchangeResult(name == "is_ok", Box::new(Pattern::Wildcard));
                return Ok(at.match_or(receiver, found, at.truth(true), at.truth(false)));
            }
            (Ty::Plain(Type::Texture(kind)), ..) => {
                let kind = kind.clone();
                return self.texture_builtin(&name, receiver, kind, &arguments, place(call));
            }
            (_, "clone", []) if !matches!(ty, Ty::Slice(_) | Ty::Plain(Type::Atomic(_))) => {
                return Ok(Node { ty, place: place(call), ..receiver });
            }
            _ => {}
        }
        if let Some(done) = self.routine(&receiver, &ty, call) {
            return done;
        }
        let candidates = match self.types.known(&ty) {
            Some(known) => builtins::methods(&known, &name),
            None => Vec::new(),
        };
        if candidates.is_empty() {
            if !own && let Ok(called) = self.own_method(receiver, &name, call)? {
                return Ok(called);
            }
            self.evaluate_all(&call.args);
            return refuse(at(call.method.span()), self.unknown_method(&ty, &name));
        }
        if let Some(given) = &call.turbofish {
            return refuse(
                place(given),
                "generic arguments are not supported here: remove them, the types are inferred",
            );
        }
        // A length can become either of two types; the arguments may decide which.
        let open = self.types.open(&receiver.ty) == Some(VariableKind::Length);
        let ty = if open { receiver.ty.clone() } else { ty };
        let is_atomic = matches!(ty, Ty::Plain(Type::Atomic(_)));
        let receiver = Node { ty, ..receiver };
        if is_atomic {
            let (arguments, ordered) = self.orderings(&name, &call.args, scope)?;
            let extent = place(call);
            let done =
                self.builtin(&candidates, &name, None, Some(receiver), &arguments, extent)?;
            return Ok(Self::ordered(done, ordered, extent));
        }
        self.builtin(&candidates, &name, None, Some(receiver), &call.args, place(call))
    }

    fn unknown_method(&self, ty: &Ty, name: &str) -> String {
        let named = self.describe(ty);
        let instead = match name {
            "iter" | "iter_mut" | "into_iter" | "chunks" | "windows" | "map" | "fold" | "sum"
            | "zip" | "enumerate" | "for_each" | "filter" => {
                ": loop over a range, `for i in 0..x.len()`".to_owned()
            }
            "unwrap" | "expect" | "unwrap_or" | "ok" | "err" | "map_err" => {
                ": use `match` with `Ok(old)` and `Err(old)`".to_owned()
            }
            "push" | "pop" | "insert" | "remove" | "extend_from_slice" => {
                ": WGSL has no allocation, write to an index".to_owned()
            }
            "get" | "get_mut" | "first" | "last" => ": write `x[i]`".to_owned(),
            "length" | "size" | "count" => ": write `x.len()`".to_owned(),
            "into" | "try_into" => ": convert it with `as`, or `T::from(x)`".to_owned(),
            "borrow" | "as_ref" | "as_mut" | "as_slice" | "to_vec" | "to_owned" => {
                ": references can only be passed to functions, `&x`".to_owned()
            }
            _ if *ty == Ty::from(Scalar::F16)
                && !builtins::methods(&Type::Scalar(Scalar::F32), name).is_empty() =>
            {
                format!(": convert it, `….to_f32().{name}(…)`")
            }
            _ if matches!(
                ty,
                Ty::Plain(
                    Type::Scalar(_) | Type::Vector(..) | Type::Matrix { .. } | Type::Texture(_)
                )
            ) && let Some(why) = builtins::unavailable_reason(name) =>
            {
                format!(": {why}")
            }
            _ => match (ty, builtins::find_similar_name(name)) {
                (Ty::Plain(Type::Vector(size, _)), _) if components(name, 4).is_some() => {
                    format!(": it has {size} components")
                }
                (Ty::Plain(Type::Struct(_)), _) => {
                    let own = self.items.callables.associated.keys().map(String::as_str);
                    super::names::did_you_mean(name, own)
                }
                (_, Some(similar)) if similar != name => format!(" (did you mean `{similar}`?)"),
                _ => String::new(),
            },
        };
        format!("`{named}` has no method `{name}`{instead}")
    }
}

fn is_swizzle(name: &str, size: u8) -> bool {
    name.len() > 1 && components(name, size).is_some()
}
