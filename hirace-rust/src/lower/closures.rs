//! Closures and functions that take them. They are inlined at their calls, because WGSL has no function values.

use super::super::tree::{Block, ConstId, ExprKind, LabelId, Name, Place, Statement};
use super::body::{Body, Meaning, Node, error_node};
use super::build::{NodeBuilder, seen_through};
use super::callables::CallableId;
use super::calls::check_argument_count;
use super::control::leaves;
use super::errors::{place, refuse};
use super::generic_calls::OpenNames;
use super::infer::{Ty, VariableKind};
use super::iterators::{Iteration, is_chain};
use super::loops::Target;
use super::names::text;
use super::patterns::numbered;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::{Expr, ExprClosure, Pat};

/// The maximum number of functions inlined into one function, because inlining can double the size each time.
const MAX_INLINED: usize = 1_000;

/// Index into [`Body::closures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosureId(usize);

/// The names in scope at a position: variables, and const parameters of functions.
#[derive(Clone)]
struct Names {
    scopes: Vec<FxHashMap<String, Meaning>>,
    constants: FxHashMap<String, ConstId>,
}

/// A closure: its code, and the names in scope where it is written.
pub struct Closure {
    written: Rc<ExprClosure>,
    names: Names,
    parameters: Vec<Ty>,
    result: Ty,
    /// Set for a `move` closure whose captures have not been copied: the first local that belongs to the closure
    /// itself.
    foreign: Option<usize>,
}

/// The destination of `return` in inlined code.
#[derive(Clone)]
pub struct ReturnTarget {
    label: LabelId,
    used: bool,
}

/// Inlined code: the parts of the block that it becomes.
struct InlinedBlock<T> {
    statements: Vec<Statement<Ty>>,
    value: T,
    /// The label of the block, if a `return` leaves it.
    left: Option<LabelId>,
}

impl InlinedBlock<Node> {
    fn into_block(self, result: Ty, extent: Place) -> Node {
        let InlinedBlock { statements, value, left } = self;
        let diverges = value.diverges && left.is_none() || statements.iter().any(leaves);
        let ty = if diverges { Ty::Never } else { result };
        let block = Block { statements, value: Some(Box::new(value)), place: extent };
        Node { kind: ExprKind::Block(left, block), ty, diverges, place: extent }
    }
}

impl Body<'_, '_> {
    /// Lowers `|x| …` to a value that can be called.
    pub fn closure(&mut self, written: &ExprClosure) -> syn::Result<Node> {
        if let Some(token) = &written.asyncness {
            return refuse(
                place(token),
                "kernels cannot be asynchronous: every invocation runs to its end",
            );
        }
        let extent = place(written);
        let mut parameters = Vec::new();
        for parameter in &written.inputs {
            parameters.push(match parameter {
                Pat::Type(typed) => self.open_type(&typed.ty, &mut Vec::new())?,
                _ => self.types.fresh(VariableKind::Any),
            });
        }
        let result = match &written.output {
            syn::ReturnType::Default => self.types.fresh(VariableKind::Any),
            syn::ReturnType::Type(_, ty) => self.open_type(ty, &mut Vec::new())?,
        };
        let written = Rc::new(written.clone());
        let (scopes, constants) = (self.scopes.clone(), self.items.generics.clone());
        let names = Names { scopes, constants };
        let foreign = written.capture.as_ref().map(|_| self.locals.len());
        self.closures.push(Closure { written, names, parameters, result, foreign });
        let ty = Ty::Closure(ClosureId(self.closures.len() - 1));
        let kind = ExprKind::Construct(Vec::new());
        Ok(Node { kind, ty, diverges: false, place: extent })
    }

    /// Copies the captures of a `move` closure that is bound to a name.
    pub fn capture(&mut self, id: ClosureId, statements: &mut Vec<Statement<Ty>>) {
        let Closure { written, foreign: Some(_), .. } = &self.closures[id.0] else { return };
        let mut names = BTreeSet::new();
        idents(written.body.to_token_stream(), &mut names);
        let mut own = FxHashMap::default();
        for name in names {
            let scopes = &self.closures[id.0].names.scopes;
            let meaning = scopes.iter().rev().find_map(|scope| scope.get(&name));
            let Some(Meaning::Local(local)) = meaning.cloned() else { continue };
            let ty = self.locals[local.0].ty.clone();
            if matches!(self.types.shallow(&ty), Ty::Reference(..) | Ty::Closure(_)) {
                continue;
            }
            let place = place(&self.closures[id.0].written.body);
            let value = Node { kind: ExprKind::Local(local), ty, diverges: false, place };
            let copy = self.named_value(&name, value, statements);
            if let ExprKind::Local(copy) = copy.kind {
                own.insert(name, Meaning::Local(copy));
            }
        }
        let closure = &mut self.closures[id.0];
        closure.names.scopes.push(own);
        closure.foreign = None;
    }

    /// Lowers the name of a function where a closure is expected: `|a, b| path(a, b)`.
    pub fn function_as_closure(
        &mut self,
        path: &syn::Path,
        parameters: usize,
    ) -> syn::Result<Node> {
        let span = super::names::span(path);
        let names =
            (0..parameters).map(|index| syn::Ident::new(&format!("argument_{index}"), span));
        let names: Vec<syn::Ident> = names.collect();
        let called = quote::quote_spanned!(span=> |#(#names),*| #path(#(#names),*));
        self.closure(&syn::parse2(called)?)
    }

    /// Inlines a call of a closure with these arguments.
    pub fn call_closure(
        &mut self,
        id: ClosureId,
        arguments: Vec<Node>,
        extent: Place,
    ) -> syn::Result<Node> {
        let result = self.closures[id.0].result.clone();
        let called =
            self.call_elsewhere(id, arguments, result.clone(), extent, |body, written| {
                let value = body.expr(&written.body);
                Ok(body.coerce(value, &result))
            })?;
        Ok(called.into_block(result, extent))
    }

    /// Returns whether a closure's result is an iterator chain.
    pub fn gives_chain(&self, id: ClosureId) -> bool {
        let body = within(&self.closures[id.0].written.body);
        matches!(body, Expr::Range(_)) || is_chain(body)
    }

    /// Inlines a call of a closure up to its result, which is a chain. Returns the chain, and the statements before
    /// it.
    pub fn call_for_chain(
        &mut self,
        id: ClosureId,
        arguments: Vec<Node>,
        extent: Place,
    ) -> syn::Result<(Vec<Statement<Ty>>, Iteration)> {
        let result = Ty::Error;
        let called = self.call_elsewhere(id, arguments, result, extent, |body, written| {
            body.iteration(within(&written.body))
        })?;
        match called.left {
            Some(_) => refuse(extent, "a closure that returns an iterator cannot contain `return`"),
            None => Ok((called.statements, called.value)),
        }
    }

    /// Inlines a call of a closure with these arguments, where `inside` lowers its body.
    fn call_elsewhere<T>(
        &mut self,
        id: ClosureId,
        arguments: Vec<Node>,
        result: Ty,
        extent: Place,
        inside: impl FnOnce(&mut Self, &ExprClosure) -> syn::Result<T>,
    ) -> syn::Result<InlinedBlock<T>> {
        let Closure { written, names, parameters, foreign, .. } = &self.closures[id.0];
        let (written, names) = (Rc::clone(written), names.clone());
        let (parameters, foreign) = (parameters.clone(), *foreign);
        check_argument_count("this closure", parameters.len(), arguments.len(), extent)?;
        if self.depth >= super::expressions::DEEPEST {
            return refuse(extent, "calls of closures are nested too deeply");
        }
        self.depth += 1;
        let outer_foreign = std::mem::replace(&mut self.foreign, foreign);
        let put_in = self.inline(names, result, extent, |body, statements| {
            for ((argument, ty), pattern) in
                arguments.into_iter().zip(parameters).zip(&written.inputs)
            {
                let argument = body.coerce(argument, &ty);
                let pattern = match pattern {
                    Pat::Type(typed) => &*typed.pat,
                    pattern => pattern,
                };
                body.bind_argument(pattern, argument, statements)?;
            }
            inside(body, &written)
        });
        self.foreign = outer_foreign;
        self.depth -= 1;
        put_in
    }

    /// Inlines a call of a function that takes closures.
    pub fn inline_callable(
        &mut self,
        id: CallableId,
        names: OpenNames,
        arguments: Vec<Node>,
        result: Ty,
        extent: Place,
    ) -> syn::Result<Node> {
        let callable = self.items.callables.get(id);
        if self.inlining.contains(&id) {
            let name = text(&callable.head.ident);
            return refuse(
                extent,
                format!("WGSL has no recursion (`{name}` → `{name}`): write a loop"),
            );
        }
        let mut scope = FxHashMap::default();
        for parameter in callable.const_parameters() {
            let name = text(&parameter.ident);
            if let Some((_, length)) = names.iter().find(|(other, _)| *other == name) {
                let kind = ExprKind::Construct(Vec::new());
                let length = Node { kind, ty: length.clone(), diverges: false, place: extent };
                let kind = ExprKind::Convert(Box::new(length));
                let value = Node { kind, ty: Ty::USIZE, diverges: false, place: extent };
                scope.insert(name, Meaning::Place(Rc::new(value)));
            }
        }
        let known = names.iter().filter_map(|(name, ty)| {
            let known = self.types.known(ty)?;
            Some((name.clone(), known))
        });
        let known = known.collect();
        let outer = std::mem::replace(&mut self.items.type_names, known);
        self.inlining.push(id);
        let names = Names { scopes: vec![scope], constants: FxHashMap::default() };
        let put_in = self.inline(names, result.clone(), extent, |body, statements| {
            for (input, argument) in callable.head.inputs.iter().zip(arguments) {
                match input {
                    syn::FnArg::Receiver(receiver) => {
                        let name = Name { text: "self".to_owned(), place: argument.place };
                        let is_value = receiver.mutability.is_some();
                        body.bind_name(name, argument, is_value, statements);
                    }
                    syn::FnArg::Typed(typed) => {
                        body.bind_argument(&typed.pat, argument, statements)?
                    }
                }
            }
            let value = body.block(callable.block);
            Ok(body.coerce(value, &result))
        });
        self.inlining.pop();
        self.items.type_names = outer;
        Ok(put_in?.into_block(result, extent))
    }

    /// Lowers code as a block at the current position, with the names in scope where it is written. `return` leaves
    /// the block.
    fn inline<T>(
        &mut self,
        Names { scopes, constants }: Names,
        result: Ty,
        extent: Place,
        inside: impl FnOnce(&mut Self, &mut Vec<Statement<Ty>>) -> syn::Result<T>,
    ) -> syn::Result<InlinedBlock<T>> {
        self.inlined_calls += 1;
        if self.inlined_calls > MAX_INLINED {
            let message = format!(
                "more than {MAX_INLINED} functions are inlined here: write the most frequently called one without closures"
            );
            return refuse(extent, message);
        }
        let label = self.label();
        let outer_scopes = std::mem::replace(&mut self.scopes, scopes);
        let outer_constants = std::mem::replace(&mut self.items.generics, constants);
        self.scopes.push(FxHashMap::default());
        let outer_targets = std::mem::take::<Vec<Target>>(&mut self.targets);
        let outer_returns = self.returns.replace(ReturnTarget { label, used: false });
        let outer_result = std::mem::replace(&mut self.result, result);
        let mut statements = Vec::new();
        let value = inside(self, &mut statements);
        self.scopes = outer_scopes;
        self.items.generics = outer_constants;
        self.targets = outer_targets;
        self.result = outer_result;
        let returns = std::mem::replace(&mut self.returns, outer_returns);
        let left = returns.filter(|returns| returns.used).map(|returns| returns.label);
        Ok(InlinedBlock { statements, value: value?, left })
    }

    /// Returns the label that a `return` in inlined code breaks to.
    pub fn return_label(&mut self) -> Option<LabelId> {
        let returns = self.returns.as_mut()?;
        returns.used = true;
        Some(returns.label)
    }

    /// Binds a parameter's pattern to an argument.
    pub fn bind_argument(
        &mut self,
        pattern: &Pat,
        argument: Node,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<()> {
        let ty = self.types.shallow(&argument.ty);
        match (pattern, &ty) {
            (Pat::Ident(ident), _) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let name = super::names::name(&ident.ident);
                self.bind_name(name, argument, ident.mutability.is_some(), statements);
                Ok(())
            }
            (Pat::Paren(inner), _) => self.bind_argument(&inner.pat, argument, statements),
            (Pat::Reference(inner), Ty::Reference(_, to)) => {
                self.bind_argument(&inner.pat, Node { ty: (**to).clone(), ..argument }, statements)
            }
            (Pat::Wild(_), Ty::Reference(..) | Ty::Closure(_)) => Ok(()),
            (Pat::Tuple(tuple), Ty::Tuple(parts)) => {
                let Node { kind: ExprKind::Construct(values), place: argument_place, .. } =
                    argument
                else {
                    let (extent, ty) = (argument.place, argument.ty.clone());
                    return self.take_apart(pattern, argument, ty, extent, statements);
                };
                let each = numbered("a tuple", &tuple.elems, parts.len(), place(tuple))?;
                let mut each = each.into_iter().peekable();
                let nothing = Pat::Wild(syn::PatWild {
                    attrs: Vec::new(),
                    underscore_token: syn::Token![_](argument_place.first),
                });
                for (nth, value) in values.into_iter().enumerate() {
                    let pattern = each.next_if(|(of, _)| *of == nth);
                    let pattern = pattern.map_or(&nothing, |(_, pattern)| pattern);
                    self.bind_argument(pattern, value, statements)?;
                }
                Ok(())
            }
            (Pat::Slice(slice), Ty::Reference(mutable, to))
                if let Ty::Array(element, _) = self.types.shallow(to) =>
            {
                let (mutable, at) = (*mutable, NodeBuilder(argument.place));
                let count = self.length_of_array(slice, to)?;
                let each = numbered("an array", &slice.elems, count, place(slice))?;
                let all = seen_through(self.fix_place(argument, statements));
                let ty = Ty::Reference(mutable, element);
                for (nth, pattern) in each {
                    let index = at.number(nth as i128, &Ty::U32);
                    let kind = ExprKind::Index(Box::new(all.clone()), Box::new(index));
                    self.bind_argument(pattern, at.node(kind, &ty), statements)?;
                }
                Ok(())
            }
            // A pattern matches through a reference and binds references to the parts.
            (Pat::Tuple(_) | Pat::Struct(_) | Pat::TupleStruct(_), Ty::Reference(false, to)) => {
                let value = Node { ty: (**to).clone(), ..argument };
                let (extent, ty) = (value.place, value.ty.clone());
                self.take_apart(pattern, value, ty, extent, statements)
            }
            _ => {
                let (extent, ty) = (argument.place, argument.ty.clone());
                self.take_apart(pattern, argument, ty, extent, statements)
            }
        }
    }

    /// Binds a name to an argument: a new local for a value, the place itself for a reference.
    pub fn bind_name(
        &mut self,
        name: Name,
        argument: Node,
        mutable: bool,
        statements: &mut Vec<Statement<Ty>>,
    ) {
        let meaning = match self.types.shallow(&argument.ty) {
            Ty::Closure(id) => Meaning::Closure(id),
            Ty::Reference(_, to) => match self.types.shallow(&to) {
                Ty::Closure(id) => Meaning::Closure(id),
                _ => Meaning::Place(Rc::new(self.fix_place(argument, statements))),
            },
            ty => {
                let local = self.local(name.clone(), ty);
                self.locals[local.0].mutable |= mutable;
                let place = argument.place;
                statements.push(Statement::Let(local, Some(argument), place));
                Meaning::Local(local)
            }
        };
        self.name(name.text, meaning);
    }

    /// Lowers a call whose function is not a path: a closure that is called where it is written.
    pub fn call_value(&mut self, function: &Expr, call: &syn::ExprCall) -> syn::Result<Node> {
        let value = self.expr(function);
        match self.types.shallow(&value.ty).referent() {
            Ty::Closure(id) => {
                let id = *id;
                let arguments = call.args.iter().map(|argument| self.expr(argument)).collect();
                self.call_closure(id, arguments, place(call))
            }
            Ty::Error => {
                self.evaluate_all(&call.args);
                Ok(error_node(place(call)))
            }
            _ => refuse(place(function), "this is not a function"),
        }
    }

    /// Unifies the type of a closure with a signature `Fn(A, B) -> C`.
    pub fn closure_is(
        &mut self,
        ty: &Ty,
        bound: &syn::ParenthesizedGenericArguments,
        names: &mut OpenNames,
    ) {
        let Ty::Closure(id) = self.types.shallow(ty).referent().clone() else { return };
        let (parameters, result) = {
            let closure = &self.closures[id.0];
            (closure.parameters.clone(), closure.result.clone())
        };
        for (parameter, written) in parameters.iter().zip(&bound.inputs) {
            if let Ok(wanted) = self.open_type(&written.ty, names) {
                self.types.unify(parameter, &wanted);
            }
        }
        let wanted = match &bound.output {
            syn::ReturnType::Default => Ok(Ty::UNIT),
            syn::ReturnType::Type(_, ty) => self.open_type(ty, names),
        };
        if let Ok(wanted) = wanted {
            self.types.unify(&result, &wanted);
        }
    }
}

/// Collects all identifiers in tokens.
fn idents(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                names.insert(text(&ident));
            }
            TokenTree::Group(group) => idents(group.stream(), names),
            _ => {}
        }
    }
}

/// Strips parentheses, and blocks that contain only an expression.
fn within(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => within(&inner.expr),
        Expr::Block(block) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(value, None)] => within(value),
            _ => expr,
        },
        _ => expr,
    }
}
