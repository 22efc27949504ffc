//! Calls of functions by name, and constructors that look like calls.

use super::super::builtins::{self, Builtin, Parameter};
use super::super::tree::{ConstId, ExprKind, FunctionId, Place, Type};
use super::body::{Body, Meaning, Node, error_node};
use super::callables::CallableId;
use super::conversions::is_lossless;
use super::errors::{already_reported, place, refuse};
use super::expressions::closed;
use super::functions::ParameterMeaning;
use super::infer::{Ty, VariableKind};
use super::names::{did_you_mean, text, unmarked};
use super::operators::Shape;
use super::slices::is_part;
use super::std_items::in_std;
use crate::prelude_types;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, Token};

pub type Arguments = Punctuated<Expr, Token![,]>;

impl Body<'_, '_> {
    /// Lowers `f(…)` or `T::f(…)`.
    pub fn call(&mut self, call: &ExprCall) -> syn::Result<Node> {
        let Expr::Path(path) = &*call.func else {
            return self.call_value(&call.func, call);
        };
        let of = path.qself.as_ref();
        let path = &path.path;
        if let Some(of) = of {
            let ty = self.items.ty(&of.ty)?;
            return self.call_associated(&ty, &super::names::last(path), path, call);
        }
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        if let ["bitcast"] | [.., "prelude", "bitcast"] =
            names.iter().map(String::as_str).collect::<Vec<_>>()[..]
            && !self.items.callables.free.contains_key("bitcast")
        {
            return self.bitcast(path, call);
        }
        if let Some(id) = self.tuple_struct(path)? {
            let parts = call.args.iter().map(|part| self.expr(part)).collect();
            return self.tuple_struct_value(id, parts, place(call));
        }
        if let Some(of) = self.variant_of(path)? {
            let parts = call.args.iter().map(|part| self.expr(part)).collect();
            return self.variant_value(of, parts, place(call));
        }
        if let Some(given) = path.segments.iter().find(|segment| !segment.arguments.is_none())
            && !self.has_parameters(&names)
        {
            return refuse(
                place(&given.arguments),
                "generic arguments are not supported here: remove them, the types are inferred",
            );
        }
        if let Some(fence) = self.fence(&names, call) {
            return fence;
        }
        if let Some((module, name)) = in_std(&names)
            && let Some(done) = self.call_of_std(module, name, call)
        {
            return done;
        }
        match names.as_slice() {
            [name] => self.call_named(name, path, call),
            [.., of, name] if of == "self" || of == "prelude" => self.call_named(name, path, call),
            [first, .., of, name]
                if !["glam", "hirace"].contains(&first.as_str())
                    && (first.as_str(), of.as_str()) != ("half", "f16") =>
            {
                self.evaluate_all(&call.args);
                let of_type = prelude_types::plain(of).map(|_| format!("write `x.{name}(…)`"));
                refuse(place(path), of_type.unwrap_or_else(|| closed(&names)))
            }
            [.., of, name] if of == "Default" && name == "default" => {
                let ty = self.types.fresh(VariableKind::Any);
                Ok(self.default_of(&ty, place(call)))
            }
            [of, name] if self.items.callables.traits.contains_key(of) => {
                self.call_of_trait(name, call)
            }
            [.., of, name] => match self.type_of_path(of, path)? {
                Some(ty) => self.call_associated(&ty, name, path, call),
                None => {
                    self.evaluate_all(&call.args);
                    refuse(place(path), closed(&names))
                }
            },
            [] => refuse(place(path), "expected a name"),
        }
    }

    fn call_named(&mut self, name: &str, path: &syn::Path, call: &ExprCall) -> syn::Result<Node> {
        match self.find(name) {
            Some(Meaning::Closure(_)) => return self.call_value(&call.func, call),
            Some(_) => {
                return refuse(place(path), format!("`{name}` is a variable, not a function"));
            }
            None => {}
        }
        if let Some(id) = self.items.callables.free.get(name).copied() {
            return self.call_free(id, path, call);
        }
        let candidates = builtins::functions(name);
        let texture =
            candidates.iter().any(|builtin| builtin.parameters.contains(&Parameter::Texture));
        if texture {
            return self.call_texture(name, call);
        }
        if candidates.is_empty() {
            // The function may be a `std` function that was imported by name, without its module.
            for module in ["mem", "array"] {
                if let Some(done) = self.call_of_std(module, name, call) {
                    return done;
                }
            }
            self.evaluate_all(&call.args);
            return refuse(place(path), self.unknown_function(name));
        }
        self.builtin(&candidates, name, None, None, &call.args, place(call))
    }

    /// Lowers the arguments of an invalid call, so that their errors are reported too.
    pub fn evaluate_all(&mut self, arguments: &Arguments) {
        for argument in arguments {
            self.expr(argument);
        }
    }

    fn unknown_function(&self, name: &str) -> String {
        if self.items.types.contains_key(name) {
            return format!("`{name}` has named fields: write `{name} {{ … }}`");
        }
        if prelude_types::plain(name).is_some() {
            return format!(
                "`{name}` is a type, not a function: write `{name}::new(…)`, or `… as {name}` for a number"
            );
        }
        if let Some(why) = builtins::unavailable_reason(name) {
            return format!("there is no `{name}` in kernels: {why}");
        }
        let own = did_you_mean(name, self.items.callables.free.keys().map(String::as_str));
        let meant = match builtins::similar(name) {
            Some(similar) if own.is_empty() => format!(" (did you mean `{similar}`?)"),
            _ => own,
        };
        let hint = unmarked(name);
        format!("unknown function `{name}`{meant}{hint}")
    }

    /// Lowers a call of a free function.
    fn call_free(
        &mut self,
        id: CallableId,
        path: &syn::Path,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        if !self.constant && !self.items.callables.get(id).is_generic() {
            return self.call_helper(self.items.callables.plain(id), path, call);
        }
        let given = match path.segments.last().map(|segment| &segment.arguments) {
            Some(syn::PathArguments::AngleBracketed(given)) => Some(given),
            _ => None,
        };
        let arguments = call.args.iter().map(|argument| self.expr(argument)).collect();
        self.call_callable(id, None, given, arguments, place(call))
    }

    fn call_helper(
        &mut self,
        id: Option<FunctionId>,
        path: &syn::Path,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        let Some((id, signature)) = id.and_then(|id| Some((id, self.items.signatures.get(id.0)?)))
        else {
            // The function was rejected at its declaration.
            return Err(already_reported());
        };
        let name = signature.name.text.clone();
        if signature.kernel.is_some() {
            self.evaluate_all(&call.args);
            return refuse(
                place(call),
                format!(
                    "a kernel cannot be called: move the common code of `{name}` into a helper"
                ),
            );
        }
        let parameters: Vec<Ty> = signature
            .parameters
            .iter()
            .map(|parameter| match parameter.means {
                ParameterMeaning::Passed(_) => parameter.ty.clone(),
                ParameterMeaning::Global(_) => Ty::Error,
            })
            .collect();
        let (result, order) = (signature.result.clone(), signature.order.clone());
        if parameters.len() != call.args.len() {
            self.evaluate_all(&call.args);
            return refuse(place(call), wrong_count(&name, &[parameters.len()], call.args.len()));
        }
        let given: Vec<Node> = call.args.iter().map(|argument| self.expr(argument)).collect();
        if given.iter().any(is_part) {
            let callable = self.items.callables.free.get(&name).copied();
            if let Some(callable) = callable {
                return self.call_callable(callable, None, None, given, place(call));
            }
        }
        let mut arguments = self.const_arguments(&name, &order, path)?;
        let lengths: Vec<(ConstId, Ty)> =
            order.into_iter().zip(arguments.iter().map(|value| value.ty.clone())).collect();
        let result = result.with(&lengths);
        for (argument, ty) in given.into_iter().zip(&parameters) {
            let argument = self.lend(argument, &ty.with(&lengths));
            arguments.push(argument);
        }
        let diverges = arguments.iter().any(|argument| argument.diverges);
        Ok(Node { kind: ExprKind::Call(id, arguments), ty: result, diverges, place: place(call) })
    }

    /// Converts an argument to a parameter's type. For a reference parameter, the result is the place.
    pub fn lend(&mut self, node: Node, expected: &Ty) -> Node {
        let Ty::Reference(mutable, to) = expected else {
            return match self.types.shallow(&node.ty) {
                // `coerce` reports the mismatch.
                Ty::Reference(..) => self.coerce(node, expected),
                _ => self.coerce(node, expected),
            };
        };
        let (given, found) = match self.types.shallow(&node.ty) {
            Ty::Reference(given, found) => (given, *found),
            _ => return self.coerce(node, expected),
        };
        if *mutable && !given && !matches!(found, Ty::Plain(Type::Atomic(_))) {
            self.report(node.place, "expected a mutable reference: write `&mut`");
            return error_node(node.place);
        }
        let fits = match (&**to, &found) {
            // An array may be passed for a slice.
            (Ty::Slice(element), Ty::Array(found, _)) => self.types.unify(element, found),
            (to, found) => self.types.unify(to, found),
        };
        if fits {
            return Node { ty: found, ..node };
        }
        self.coerce(node, expected)
    }

    fn call_associated(
        &mut self,
        ty: &Type,
        name: &str,
        path: &syn::Path,
        call: &ExprCall,
    ) -> syn::Result<Node> {
        if let Some(own) = self.own_associated(ty, name, path, call) {
            return own;
        }
        if let Some(made) = self.of_bytes(ty, name, call) {
            return Ok(made);
        }
        if name == "default" && call.args.is_empty() {
            return Ok(self.default_of(&ty.into(), place(call)));
        }
        let found = builtins::associated(ty, name);
        let candidates: Vec<&'static Builtin> = match found {
            Some(builtin) => vec![builtin],
            None => builtins::methods(ty, name),
        };
        if candidates.is_empty() {
            if let ("try_from", Type::Scalar(scalar), [value]) =
                (name, ty, &call.args.iter().collect::<Vec<_>>()[..])
                && scalar.is_integer()
            {
                let value = self.value(value);
                return self.try_from(*scalar, value, place(call));
            }
            if let ("from", Type::Scalar(_), [value]) =
                (name, ty, &call.args.iter().collect::<Vec<_>>()[..])
            {
                let value = self.value(value);
                return self.lossless(ty, value, call);
            }
            self.evaluate_all(&call.args);
            let named = self.describe(&ty.into());
            let instead = match (ty, name) {
                (Type::Atomic(_), "new") => {
                    ": an atomic cannot be a value, take it as a parameter `&Atomic<u32>`"
                }
                (_, "default") => ": write the value",
                _ => "",
            };
            return refuse(place(path), format!("`{named}` has no function `{name}`{instead}"));
        }
        self.builtin(&candidates, name, Some(ty.into()), None, &call.args, place(call))
    }

    /// Lowers one of `std`'s lossless conversions, such as `u32::from(flag)`.
    fn lossless(&mut self, ty: &Type, value: Node, call: &ExprCall) -> syn::Result<Node> {
        self.resolve_obligations();
        let to = Ty::from(ty);
        let fits = match (self.shape(&value.ty), self.shape(&to)) {
            (Shape::Error, _) => true,
            (Shape::Of(from, None), Shape::Of(to, None)) => from == to || is_lossless(from, to),
            (Shape::Integer | Shape::Float, _) => self.types.unify(&value.ty, &to),
            _ => false,
        };
        let (from, named) = (self.describe(&value.ty), self.describe(&to));
        if !fits {
            let hint = self.conversion(&to, &value.ty);
            return refuse(
                place(call),
                format!("`{named}` cannot be converted from `{from}` with `from`{hint}"),
            );
        }
        let diverges = value.diverges;
        Ok(Node { kind: ExprKind::Convert(Box::new(value)), ty: to, diverges, place: place(call) })
    }
}

/// Rejects a call with the wrong number of arguments.
pub fn check_argument_count(
    name: &str,
    wanted: usize,
    given: usize,
    extent: Place,
) -> syn::Result<()> {
    if wanted == given { Ok(()) } else { refuse(extent, wrong_count(name, &[wanted], given)) }
}

pub fn wrong_count(name: &str, counts: &[usize], given: usize) -> String {
    let wanted: Vec<String> = counts.iter().map(usize::to_string).collect();
    let wanted = wanted.join(" or ");
    let noun = if counts == [1] { "argument" } else { "arguments" };
    format!("`{name}` takes {wanted} {noun}, not {given}")
}
