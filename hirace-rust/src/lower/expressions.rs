//! Expressions: dispatch by syntax, and the kinds that need no file of their own.

use super::super::builtins;
use super::super::tree::{Count, ExprKind, Literal, Type};
use super::attributes;
use super::body::{Body, NameMeaning, Node, error_node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::{at, error, place, refuse};
use super::infer::{Ty, VariableKind};
use super::names::{self, did_you_mean, last, text, unmonitored_hint};
use crate::prelude_types;
use syn::{Expr, Member};

/// The maximum nesting depth of expressions, because later passes are recursive.
pub const DEEPEST: usize = 100;

/// Strips parentheses, and the invisible groups of macros.
pub fn without_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => without_parentheses(&inner.expr),
        Expr::Group(inner) => without_parentheses(&inner.expr),
        other => other,
    }
}

impl Body<'_, '_> {
    /// Lowers an expression. An error is reported, and the result is a placeholder that is compatible with every type.
    pub fn expr(&mut self, expr: &Expr) -> Node {
        if self.depth >= DEEPEST {
            self.report(
                place(expr),
                "this expression is nested too deeply: bind parts of it with `let`",
            );
            return error_node(place(expr));
        }
        self.depth += 1;
        let lowered = self.dispatch(expr);
        self.depth -= 1;
        lowered.unwrap_or_else(|error| {
            self.items.errors.push(error);
            error_node(place(expr))
        })
    }

    fn dispatch(&mut self, expr: &Expr) -> syn::Result<Node> {
        match expr {
            Expr::Lit(literal) => {
                attributes::check(&literal.attrs, &[])?;
                self.literal(&literal.lit)
            }
            Expr::Path(path) => match &path.qself {
                None => self.path(&path.path),
                Some(of) => {
                    let ty = self.items.ty(&of.ty)?;
                    self.constant_of(&ty, &last(&path.path), &path.path)
                }
            },
            Expr::Paren(inner) => Ok(self.expr(&inner.expr)),
            Expr::Group(inner) => Ok(self.expr(&inner.expr)),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Field(field) => self.field(field),
            Expr::Index(index) => self.index(index),
            Expr::Reference(reference) => self.reference(reference),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Array(array) => Ok(self.array(array)),
            Expr::Repeat(repeat) => self.repeat(repeat),
            Expr::Tuple(tuple) => Ok(self.tuple(tuple)),
            Expr::Struct(structure) => self.struct_literal(structure),
            Expr::Block(block) => self.labeled_block(block),
            Expr::If(expr) => self.if_else(expr),
            Expr::Match(expr) => self.match_arms(expr),
            Expr::Loop(expr) => self.lower_endless_loop(expr),
            Expr::While(expr) => self.while_loop(expr),
            Expr::ForLoop(expr) => self.for_loop(expr),
            Expr::Break(expr) => self.break_out(expr),
            Expr::Continue(expr) => self.continue_loop(expr),
            Expr::Return(expr) => self.return_value(expr),
            Expr::Closure(closure) => self.closure(closure),
            Expr::Try(expr) => self.try_value(expr),
            Expr::Macro(called) => self.called_macro(&called.mac),
            other => refuse(place(other), instead(other)),
        }
    }

    fn path(&mut self, path: &syn::Path) -> syn::Result<Node> {
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        if let Some(arguments) = path.segments.iter().find(|segment| !segment.arguments.is_none()) {
            return refuse(
                place(&arguments.arguments),
                "generic arguments are not supported here: remove them, the types are inferred",
            );
        }
        let known = matches!(&names[..], [name] if self.find(name).is_some());
        if !known && let Some(id) = self.tuple_struct(path)? {
            if self.items.empty.contains(&id) {
                let ty = Type::Struct(id).into();
                return Ok(NodeBuilder(place(path)).zero(&ty));
            }
            let count = self.items.module.structs[id.0].members.len();
            return self.function_as_closure(path, count);
        }
        if !known && let Some(of) = self.variant_of(path)? {
            if of.parts.is_empty() {
                return self.variant_value(of, Vec::new(), place(path));
            }
            return self.function_as_closure(path, of.parts.len());
        }
        match names.as_slice() {
            [name] => self.named(name, path),
            [.., of, name] if of == "self" => self.named(name, path),
            [.., of, name] => {
                let ty = if of == "consts" {
                    prelude_types::plain("f32")
                } else {
                    self.type_of_path(of, path)?
                };
                let Some(ty) = ty else {
                    return refuse(place(path), unmonitored_item_message(&names));
                };
                self.constant_of(&ty, name, path)
            }
            [] => refuse(place(path), "expected a name"),
        }
    }

    /// Lowers `T::NAME`.
    fn constant_of(&mut self, ty: &Type, name: &str, path: &syn::Path) -> syn::Result<Node> {
        let own = self.items.associated_name(ty, name);
        if let Some(id) = self.items.constant(&own, names::span(path))? {
            return Ok(self.node(ExprKind::Const(id), self.items.type_of_constant(id), path));
        }
        if let Some(id) = self.find_associated(&ty.into(), name).first().copied() {
            let count = self.items.callables.get(id).head.inputs.len();
            return self.function_as_closure(path, count);
        }
        if let Some(method) = builtins::methods(ty, name).first() {
            return self.function_as_closure(path, method.parameters.len());
        }
        let conversion = matches!((ty, name), (Type::Scalar(_), "from" | "try_from"));
        if conversion || builtins::find_associated(ty, name).is_some() {
            let count =
                builtins::find_associated(ty, name).map_or(1, |found| found.parameters.len());
            return self.function_as_closure(path, count);
        }
        if let Some(value) = self.float_constant(ty, name, place(path)) {
            return value;
        }
        if let Some(end) = end_of_wide(ty, name) {
            return Ok(self.node(ExprKind::Literal(Literal::Int(end)), ty.into(), path));
        }
        let Some((wgsl, ty)) = builtins::constant(ty, name) else {
            let described = self.describe(&Ty::from(ty));
            return refuse(place(path), format!("`{described}` has no constant `{name}`"));
        };
        Ok(self.node(ExprKind::Verbatim(wgsl), ty.into(), path))
    }

    /// Returns the type that the last but one segment of a path names.
    pub fn type_of_path(&mut self, name: &str, path: &syn::Path) -> syn::Result<Option<Type>> {
        Ok(self.items.named_type(name, place(path).first)?.or_else(|| prelude_types::plain(name)))
    }

    /// Lowers the name of a local, a parameter or a constant.
    fn named(&mut self, name: &str, path: &syn::Path) -> syn::Result<Node> {
        match self.find(name).cloned() {
            Some(NameMeaning::Local(id)) => {
                let ty = self.locals[id.0].ty.clone();
                return Ok(self.node(ExprKind::Local(id), ty, path));
            }
            Some(NameMeaning::Global(id, ty)) => {
                return Ok(self.node(ExprKind::Global(id), ty, path));
            }
            Some(NameMeaning::Place(node)) => {
                return Ok(Node { place: place(path), ..(*node).clone() });
            }
            Some(NameMeaning::Chain(_)) => {
                let message = "an iterator can only be iterated over, and a range can also be used in `.contains(…)` \
                               and `x[range]`";
                return refuse(place(path), message);
            }
            Some(NameMeaning::Closure(id)) => {
                return Ok(self.node(ExprKind::Construct(Vec::new()), Ty::Closure(id), path));
            }
            None => {}
        }
        let span = names::span(path);
        if let Some(id) = self.items.constant(name, span)? {
            let ty = self.items.type_of_constant(id);
            return Ok(self.node(ExprKind::Const(id), ty, path));
        }
        if let Some(id) = self.items.callables.free.get(name).copied() {
            let count = self.items.callables.get(id).head.inputs.len();
            return self.function_as_closure(path, count);
        }
        // `PI`, imported with `use std::f32::consts::PI`.
        if let Some((wgsl, ty)) = builtins::std_float_constant(name) {
            return Ok(self.node(ExprKind::Verbatim(wgsl), ty.into(), path));
        }
        refuse(at(span), self.unknown(name))
    }

    fn unknown(&self, name: &str) -> String {
        if self.items.callables.free.contains_key(name) || !builtins::functions(name).is_empty() {
            return format!("WGSL has no function values: call `{name}`");
        }
        if name == "self" {
            return "`self` is only available in functions of an `impl`".to_owned();
        }
        if self.constant && self.items.running.contains(name) {
            return format!("`{name}` is known only while the kernel runs: use a constant here");
        }
        let locals = self.scopes.iter().flat_map(|scope| scope.keys());
        let consts = self.items.consts.keys().chain(self.items.generics.keys());
        let meant = did_you_mean(name, locals.chain(consts).map(String::as_str));
        let hint = unmonitored_hint(name);
        format!("unknown name `{name}`{meant}{hint}")
    }

    fn array(&mut self, array: &syn::ExprArray) -> Node {
        let element = self.types.fresh(VariableKind::Any);
        let mut parts: Vec<Node> = array.elems.iter().map(|part| self.expr(part)).collect();
        // References in an array are iterated over; the array is not a value then.
        let lent =
            |part: &Node| matches!(self.types.resolve_shallow(&part.ty), Ty::Reference(false, _));
        if !parts.iter().all(lent) {
            parts = parts.into_iter().map(|part| self.no_reference(part)).collect();
        }
        let parts: Vec<Node> = parts.into_iter().map(|part| self.coerce(part, &element)).collect();
        if parts.is_empty() {
            self.report(place(array), "an array in WGSL must have at least one element");
            return error_node(place(array));
        }
        let ty = Ty::array(element, Count::Literal(parts.len() as u32));
        let diverges = parts.iter().any(|part| part.diverges);
        Node { kind: ExprKind::Construct(parts), ty, diverges, place: place(array) }
    }

    fn repeat(&mut self, repeat: &syn::ExprRepeat) -> syn::Result<Node> {
        let value = self.value(&repeat.expr);
        let count = self.items.count(&repeat.len)?;
        let ty = Ty::array(value.ty.clone(), count);
        let diverges = value.diverges;
        Ok(Node { kind: ExprKind::Repeat(Box::new(value)), ty, diverges, place: place(repeat) })
    }

    fn tuple(&mut self, tuple: &syn::ExprTuple) -> Node {
        let parts: Vec<Node> = tuple.elems.iter().map(|part| self.value(part)).collect();
        let diverges = parts.iter().any(|part| part.diverges);
        let ty = if parts.is_empty() {
            Ty::UNIT
        } else {
            Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect())
        };
        Node { kind: ExprKind::Construct(parts), ty, diverges, place: place(tuple) }
    }

    /// Lowers an expression whose value must not be a reference.
    pub fn value(&mut self, expr: &Expr) -> Node {
        let node = self.expr(expr);
        self.no_reference(node)
    }

    /// Lowers the scrutinee of a `match`. Returns also how it is borrowed, if it is; names in patterns are references
    /// then.
    pub fn lower_scrutinee(&mut self, expr: &Expr) -> (Node, Option<bool>) {
        let node = self.expr(expr);
        self.matched_value(node)
    }

    /// Returns the scrutinee of a `match` from an expression that has been lowered.
    pub fn matched_value(&mut self, node: Node) -> (Node, Option<bool>) {
        match self.types.resolve_shallow(&node.ty) {
            Ty::Reference(mutable, to) => (Node { ty: *to, ..node }, Some(mutable)),
            _ => (node, None),
        }
    }

    /// Rejects a reference where a value is expected.
    pub fn no_reference(&mut self, node: Node) -> Node {
        match self.types.resolve_shallow(&node.ty) {
            Ty::Reference(_, to) => {
                let message = if matches!(node.kind, ExprKind::Local(_) | ExprKind::Global(_))
                    && !is_unsized(&to)
                {
                    "references cannot be stored: write `*` before it"
                } else {
                    "references can only be passed to functions: use the place itself"
                };
                self.report(node.place, message);
                error_node(node.place)
            }
            _ => node,
        }
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> syn::Result<Node> {
        if let Some(of) = self.variant_of(&literal.path)? {
            return self.variant_literal(of, literal);
        }
        let name = last(&literal.path);
        let span = place(&literal.path).first;
        let Some(Type::Struct(id)) = self.items.named_type(&name, span)? else {
            return match prelude_types::plain(&name) {
                Some(_) => refuse(
                    place(literal),
                    format!("`{name}` cannot be constructed like this: write `{name}::new(…)`"),
                ),
                None => {
                    let known = self.items.types.keys().map(String::as_str);
                    let meant = did_you_mean(&name, known);
                    refuse(place(&literal.path), format!("unknown struct `{name}`{meant}"))
                }
            };
        };
        let members: Vec<(String, Ty)> = self.items.module.structs[id.0]
            .members
            .iter()
            .map(|member| (member.name.text.clone(), Ty::from(&member.ty)))
            .collect();
        if self.items.is_unsized(&Type::Struct(id))
            || members.iter().any(|(_, ty)| matches!(ty, Ty::Plain(Type::Atomic(_))))
        {
            return refuse(
                place(literal),
                format!("a `{name}` cannot be constructed: it exists only in memory"),
            );
        }
        let base = match &literal.rest {
            Some(base) => {
                let base = self.expr(base);
                Some(self.coerce(base, &Type::Struct(id).into()))
            }
            None => None,
        };
        let mut given: Vec<(usize, Node)> = Vec::new();
        for field in &literal.fields {
            let Member::Named(ident) = &field.member else {
                self.report(place(&field.member), "expected a named field");
                continue;
            };
            let value = self.expr(&field.expr);
            let wanted = text(ident);
            let Some(index) = members.iter().position(|(member, _)| *member == wanted) else {
                let meant =
                    did_you_mean(&wanted, members.iter().map(|(member, _)| member.as_str()));
                self.report(place(ident), format!("`{name}` has no field `{wanted}`{meant}"));
                continue;
            };
            let value = self.coerce(value, &members[index].1);
            if given.iter().any(|(other, _)| *other == index) {
                self.report(place(ident), format!("field `{wanted}` specified more than once"));
            }
            given.push((index, value));
        }
        let extent = place(literal);
        let missing: Vec<&str> = members
            .iter()
            .enumerate()
            .filter(|(index, _)| given.iter().all(|(other, _)| other != index))
            .map(|(_, (member, _))| member.as_str())
            .collect();
        if !missing.is_empty() && base.is_none() {
            let all = missing.join("`, `");
            return Err(error(extent, format!("missing `{all}` in initializer of `{name}`")));
        }
        let ty = Ty::Plain(Type::Struct(id));
        let mut before = Vec::new();
        if base.is_some() {
            // The base is evaluated once, after the given members.
            for (index, value) in &mut given {
                *value = self.keep_value(&members[*index].0, value.clone(), &mut before);
            }
            given.sort_by_key(|(index, _)| *index);
        }
        let base = base.map(|base| self.named_value("base", base, &mut before));
        let parts = self.sort_by_index(given, members.len(), &mut before);
        let parts = parts.into_iter().zip(&members).enumerate().filter_map(
            |(index, (value, (_, member)))| {
                value.or_else(|| {
                    let base = base.clone()?;
                    let (place, kind) = (base.place, ExprKind::Member(Box::new(base), index));
                    Some(Node { kind, ty: member.clone(), diverges: false, place })
                })
            },
        );
        let parts: Vec<Node> = parts.collect();
        let diverges = parts.iter().any(|part| part.diverges);
        let value = Node { kind: ExprKind::Construct(parts), ty, diverges, place: extent };
        Ok(after(before, value))
    }
}

/// Returns a length as a number.
pub fn number_of<T>(count: &Count) -> ExprKind<T> {
    match count {
        Count::Literal(number) => ExprKind::Literal(Literal::Int((*number).into())),
        Count::Const(id) => ExprKind::Const(*id),
    }
}

fn is_unsized(ty: &Ty) -> bool {
    matches!(ty, Ty::Slice(_))
}

/// Returns the message for a path to an item that is not monitored.
pub fn unmonitored_item_message(names: &[String]) -> String {
    let path = names.join("::");
    match names.first().map(String::as_str) {
        _ if path.contains("Ordering::") => {
            "WGSL's atomics are relaxed: remove the ordering".to_owned()
        }
        _ => {
            format!("`{path}` is not monitored: mark its declaration with `#[hirace::monitor]`")
        }
    }
}

/// Returns the value of `u64::MAX` and similar constants, which WGSL cannot write as a single literal.
fn end_of_wide(ty: &Type, name: &str) -> Option<i128> {
    let Type::Scalar(scalar) = ty else { return None };
    let (least, greatest) = scalar.range().filter(|_| scalar.is_wide())?;
    match name {
        "MIN" => Some(least),
        "MAX" => Some(greatest),
        _ => None,
    }
}

fn instead(expr: &Expr) -> String {
    match expr {
        Expr::Macro(expr) => return instead_of_macro(&expr.mac),
        Expr::Range(_) => "a range can only be used in a loop, `for i in 0..n`",
        Expr::Async(_) | Expr::Await(_) => {
            "kernels cannot be asynchronous: every invocation runs to its end"
        }
        Expr::Unsafe(_) => "kernels have no unsafe code: remove `unsafe`",
        Expr::Try(_) | Expr::TryBlock(_) => "WGSL has no `?`: use `if` and `return`",
        Expr::Let(_) => {
            "`let` is only supported as the condition of an `if` or `while`: nest another `if`"
        }
        Expr::RawAddr(_) => "WGSL has no pointers in values: take a parameter `&mut T`",
        Expr::Const(_) => {
            "inline constants are not supported: declare `const N: u32 = …;` in the module"
        }
        Expr::Infer(_) => "`_` can only be a pattern or the target of an assignment",
        Expr::Yield(_) => "kernels cannot yield: every invocation runs to its end",
        Expr::Path(_) => {
            "qualified paths are not supported here: write the type without `<… as …>`"
        }
        _ => "this is not supported in a kernel",
    }
    .to_owned()
}

/// Returns what to write instead of a macro.
pub fn instead_of_macro(called: &syn::Macro) -> String {
    let name = last(&called.path);
    let instead = match name.as_str() {
        "println" | "print" | "eprintln" | "eprint" | "dbg" | "write" | "writeln" | "format" => {
            "a kernel has no output except its buffers: write the values to one"
        }
        "vec" => "WGSL has no allocation: write an array, `[0.0; 64]`",
        _ => "kernels are read before macros are expanded: write the code without the macro",
    };
    format!("`{name}!` is not supported in a kernel: {instead}")
}
