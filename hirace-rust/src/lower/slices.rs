//! Parts of arrays, `&x[a..b]`, optional elements, `x.get(i)`, and lengths, `x.len()`.
//!
//! A part is represented by the whole array, a start and a length. It can be bound to a name and passed on, but it is
//! not a value: a function that takes one is inlined.
//!
//! A length is a `usize` as in Rust, or a `u32` if the context requires one. For rustc it is a `usize`. If it is inferred to be
//! a `u32`, the module records this in `short_lengths`, and the macro inserts the conversion for rustc.

use super::super::builtins;
use super::super::tree::{Binary, ExprKind, Literal, Statement, Type};
use super::adaptors::nth_of;
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::control::after;
use super::errors::{place, refuse};
use super::expressions::{number_of, without_parentheses};
use super::infer::{Ty, VariableKind};
use super::iterators::unsigned;
use super::names::text;
use syn::{Expr, ExprMethodCall, ExprRange, Pat};

impl Body<'_, '_> {
    /// Lowers `base[a..b]`.
    pub fn part(&mut self, base: Node, range: &ExprRange) -> syn::Result<Node> {
        let extent = base.place;
        let of = self.known_type(&base)?;
        let element = match &of {
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            Ty::Error => return Ok(super::body::error_node(extent)),
            other => {
                let named = self.describe(other);
                return refuse(extent, format!("cannot take a part of a `{named}`"));
            }
        };
        if !super::places::is_place(&base) {
            return refuse(
                extent,
                "cannot take a part of a temporary array: bind it with `let` first",
            );
        }
        let end_of = |body: &mut Self, written: &Option<Box<Expr>>| {
            let value = body.value(written.as_ref()?);
            Some(as_usize(body.index_value(value)))
        };
        let start = end_of(self, &range.start);
        let start = start.filter(|start| !matches!(start.kind, ExprKind::Literal(Literal::Int(0))));
        let end = end_of(self, &range.end).map(|end| match range.limits {
            syn::RangeLimits::Closed(_) => {
                plus(Binary::Add, end, NodeBuilder(extent).number(1, &Ty::USIZE))
            }
            syn::RangeLimits::HalfOpen(_) => end,
        });
        let base = Box::new(Node { ty: of, ..base });
        let kind = ExprKind::Part(base, start.map(Box::new), end.map(Box::new));
        Ok(Node { kind, ty: Ty::Slice(Box::new(element)), diverges: false, place: extent })
    }

    /// Evaluates the start and the length of `of[start..end]` in the whole array.
    pub fn held_part(
        &mut self,
        of: Node,
        (start, end): (Option<Node>, Option<Node>),
        statements: &mut Vec<Statement<Ty>>,
    ) -> ExprKind<Ty> {
        let start = start.map(|start| self.keep_value("start", start, statements));
        let end = end.unwrap_or_else(|| as_usize(self.length_of(&of, of.place)));
        let length = match &start {
            None => end,
            Some(start) => {
                // An error about an end before the start is located at both.
                let place = start.place.to(end.place);
                Node { place, ..plus(Binary::Subtract, end, start.clone()) }
            }
        };
        let length = self.keep_value("length", length, statements);
        // A part of a part is a part of the whole.
        let (whole, start) = match (of.kind, start) {
            (ExprKind::Slice(whole, first, _), None) => (*whole, *first),
            (ExprKind::Slice(whole, first, _), Some(start)) => {
                let start = plus(Binary::Add, *first, start);
                (*whole, self.keep_value("start", start, statements))
            }
            (kind, start) => {
                let start = start.unwrap_or_else(|| NodeBuilder(of.place).number(0, &Ty::USIZE));
                (Node { kind, ..of }, start)
            }
        };
        ExprKind::Slice(Box::new(whole), Box::new(start), Box::new(length))
    }

    /// Returns the whole array and the index in it, for an index into a part.
    pub fn in_whole(&self, base: Node, index: Node) -> (Node, Node) {
        match base.kind {
            ExprKind::Slice(whole, first, _) => {
                (*whole, plus(Binary::Add, *first, as_usize(index)))
            }
            ExprKind::Part(of, start, _) => {
                let index = match start {
                    Some(start) => plus(Binary::Add, *start, as_usize(index)),
                    None => index,
                };
                self.in_whole(*of, index)
            }
            kind => (Node { kind, ..base }, index),
        }
    }

    /// Returns what a pattern is matched against. For `x.get(i)`, this is whether the element exists, and its place
    /// with the inner pattern; otherwise a value and how it is borrowed.
    #[allow(clippy::type_complexity)]
    pub fn element_or_value<'p>(
        &mut self,
        pattern: &'p Pat,
        expr: &Expr,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<Result<(&'p Pat, Node, Node), (Node, Option<bool>)>> {
        if let (Some(inner), Some((chain, nth))) = (within_some(pattern), nth_of(expr)) {
            let (there, item) = self.nth(chain, nth, statements, place(expr))?;
            return Ok(Ok((inner, there, item)));
        }
        let (Some(inner), Some(call)) = (within_some(pattern), element_call(expr)) else {
            return Ok(Err(self.matched(expr)));
        };
        let receiver = self.expr(&call.receiver);
        let of = self.known_type(&receiver)?;
        if !matches!(of, Ty::Array(..) | Ty::Slice(_)) {
            let value = self.method_of(receiver, call)?;
            return Ok(Err(self.matched_value(value)));
        }
        let (there, element) = self.element(receiver, of, call, statements)?;
        Ok(Ok((inner, there, element)))
    }

    /// Lowers `x.get(i)` or `x.get_mut(i)` on an array. Returns whether the element exists, and its place. The index
    /// is bound to a name in `statements`.
    fn element(
        &mut self,
        base: Node,
        of: Ty,
        call: &ExprMethodCall,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<(Node, Node)> {
        let extent = place(call);
        let method = text(&call.method);
        let mutable = method.ends_with("_mut");
        let given = matches!(self.types.shallow(&base.ty), Ty::Reference(..));
        let base = Node { ty: of.clone(), ..base };
        if mutable && !given {
            self.writes(&base)?;
        }
        let base = self.fix_place(base, statements);
        let length = self.length_of(&base, extent);
        let index = match call.args.first() {
            Some(at) => {
                let index = self.value(at);
                as_usize(self.index_value(index))
            }
            // For an empty array, the index wraps around to a number that is not below any length.
            None if method.starts_with("last") => {
                let one = NodeBuilder(extent).number(1, &Ty::U32);
                as_usize(plus(Binary::Subtract, unsigned(length.clone()), one))
            }
            None => NodeBuilder(extent).number(0, &Ty::USIZE),
        };
        let index = self.keep_value("index", index, statements);
        let (whole, at) = self.in_whole(base, index.clone());
        let element = match &of {
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            _ => Ty::Error,
        };
        let there = NodeBuilder(extent).test(Binary::Less, index, as_usize(length));
        let kind = ExprKind::Index(Box::new(whole), Box::new(at));
        let ty = Ty::Reference(mutable, Box::new(element));
        Ok((there, Node { kind, ty, diverges: false, place: extent }))
    }

    /// Lowers `x.get(i)` as a value: an `Option` with a copy of the element.
    pub fn element_value(
        &mut self,
        base: Node,
        of: Ty,
        call: &ExprMethodCall,
    ) -> syn::Result<Node> {
        let mut statements = Vec::new();
        let (there, element) = self.element(base, of, call, &mut statements)?;
        let extent = place(call);
        if matches!(element.ty, Ty::Reference(true, _)) {
            return refuse(
                extent,
                "this mutable reference must be bound directly: use `if let Some(x) = …` or `let Some(x) = … else`",
            );
        }
        Ok(after(statements, NodeBuilder(extent).some_if(there, element)))
    }
}

/// Returns the call inside parentheses, if [`gives_element`].
fn element_call(expr: &Expr) -> Option<&ExprMethodCall> {
    match without_parentheses(expr) {
        Expr::MethodCall(call) => gives_element(call).then_some(call),
        _ => None,
    }
}

/// Returns whether a call on an array returns an optional element.
pub fn gives_element(call: &ExprMethodCall) -> bool {
    let is_one = match (text(&call.method).as_str(), call.args.first(), call.args.len()) {
        ("get" | "get_mut", Some(at), 1) => !matches!(without_parentheses(at), Expr::Range(_)),
        ("first" | "last" | "first_mut" | "last_mut", None, _) => true,
        _ => false,
    };
    is_one && !super::iterators::is_chain(&call.receiver)
}

/// Returns the pattern in `Some(pattern)`.
fn within_some(pattern: &Pat) -> Option<&Pat> {
    match pattern {
        Pat::Paren(inner) => within_some(&inner.pat),
        Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
            some.elems.first()
        }
        _ => None,
    }
}

/// Returns whether a node is a part of an array.
pub fn is_part(node: &Node) -> bool {
    matches!(node.kind, ExprKind::Part(..) | ExprKind::Slice(..))
}

/// Returns an index as `usize`.
pub fn as_usize(node: Node) -> Node {
    if let (ExprKind::Literal(_), Ty::Infer(_)) = (&node.kind, &node.ty) {
        return Node { ty: Ty::USIZE, ..node };
    }
    NodeBuilder(node.place).convert(node, &Ty::USIZE)
}

/// Applies an operator to two lengths, located at the left one.
fn plus(operator: Binary, left: Node, right: Node) -> Node {
    NodeBuilder(left.place).binary(operator, left, right)
}

impl Body<'_, '_> {
    /// Lowers `receiver.len()` for an array or slice of type `ty`.
    pub fn len(&mut self, receiver: Node, ty: &Ty, call: &ExprMethodCall) -> syn::Result<Node> {
        let length = match self.constant {
            true => Ty::USIZE,
            false => self.types.fresh(VariableKind::Length),
        };
        self.lengths.push((call.method.span(), length.clone()));
        let whole = length.clone();
        if is_part(&receiver) {
            self.types.unify(&whole, &Ty::USIZE);
            let mut statements = Vec::new();
            let part = self.fix_place(receiver, &mut statements);
            let length = Node { place: place(call), ..self.length_of(&part, place(call)) };
            return Ok(after(statements, length));
        }
        let node = match ty {
            Ty::Array(_, count) => match self.types.shallow(count) {
                Ty::Length(count) => self.node(number_of(&count), Ty::USIZE, call),
                _ => {
                    return refuse(
                        receiver.place,
                        "the length of this array is not known: annotate its type where it \
                         is declared",
                    );
                }
            },
            _ => {
                let rows = builtins::methods(&Type::Slice(Box::new(Type::Unit)), "len");
                let receiver = Node { ty: ty.clone(), ..receiver };
                self.builtin(&rows, "len", None, Some(receiver), &call.args, place(call))?
            }
        };
        Ok(Node { ty: length, ..node })
    }

    /// Records which lengths are `u32`, after all types are known.
    pub fn note_lengths(&mut self) {
        for (span, ty) in std::mem::take(&mut self.lengths) {
            if self.types.shallow(&ty) == Ty::U32 {
                self.items.module.short_lengths.push(span);
            }
        }
    }
}
