//! Parts of arrays: `&x[a..b]`, and elements that may not be there: `x.get(i)`.
//!
//! A part is the whole with where it begins and how long it is. It has names and is passed on, and is
//! never a value: what takes one is put in where it is called.

use super::super::tree::{Binary, Block, ExprKind, Literal, Place, Statement};
use super::body::{Body, Node};
use super::errors::{place, refuse};
use super::infer::Ty;
use super::iterators::number;
use super::names::text;
use syn::{Expr, ExprMethodCall, ExprRange, Pat};

impl Body<'_, '_> {
    /// `base[a..b]`.
    pub fn part(&mut self, base: Node, range: &ExprRange) -> syn::Result<Node> {
        let extent = base.place;
        let of = self.seen(&base)?;
        let element = match &of {
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            Ty::Error => return Ok(super::body::wrong(extent)),
            other => {
                let named = self.describe(other);
                return refuse(extent, format!("a `{named}` has no parts"));
            }
        };
        if !super::places::is_place(&base) {
            return refuse(extent, "give the array a name with `let` first");
        }
        let end_of = |body: &mut Self, written: &Option<Box<Expr>>| -> syn::Result<Option<Node>> {
            let Some(written) = written else { return Ok(None) };
            let value = body.value(written);
            let value = body.index_value(value);
            Ok(Some(as_usize(value)))
        };
        let start = end_of(self, &range.start)?;
        let end = end_of(self, &range.end)?;
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let end = match end {
            Some(end) if inclusive => plus(Binary::Add, end, number(1, &Ty::USIZE, extent)),
            Some(end) => end,
            None => self.length_of(&Node { ty: of, ..base.clone() }, extent)?,
        };
        let (start, length) = match start {
            None => (number(0, &Ty::USIZE, extent), end),
            Some(start) if matches!(start.kind, ExprKind::Literal(Literal::Int(0))) => (start, end),
            Some(start) => {
                let length = plus(Binary::Subtract, end, start.clone());
                // What ends before it begins is said of both.
                (start, Node { place: place(range), ..length })
            }
        };
        // Parts of parts are parts of the whole.
        let (base, start) = match base.kind {
            ExprKind::Slice(whole, first, _) => (*whole, plus(Binary::Add, *first, start)),
            kind => (Node { kind, ..base }, start),
        };
        let kind = ExprKind::Slice(Box::new(base), Box::new(start), Box::new(length));
        Ok(Node { kind, ty: Ty::Slice(Box::new(element)), diverges: false, place: extent })
    }

    /// Where an index of a part is in the whole.
    pub fn in_whole(&self, base: Node, index: Node) -> (Node, Node) {
        match base.kind {
            ExprKind::Slice(whole, first, _) => {
                let index = plus(Binary::Add, *first, as_usize(index));
                (*whole, index)
            }
            kind => (Node { kind, ..base }, index),
        }
    }

    /// `x.get(i)` or `x.get_mut(i)`, of an array: whether it is there, and the place. The index is named in `statements`.
    pub fn element(
        &mut self,
        expr: &Expr,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<Option<(Node, Node)>> {
        let call = match expr {
            Expr::Paren(inner) => return self.element(&inner.expr, statements),
            Expr::MethodCall(call) => call,
            _ => return Ok(None),
        };
        let method = text(&call.method);
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let (mutable, at) = match (method.as_str(), &arguments[..]) {
            ("get", [at]) if !is_range(at) => (false, Some(*at)),
            ("get_mut", [at]) if !is_range(at) => (true, Some(*at)),
            ("first" | "last", []) => (false, None),
            ("first_mut" | "last_mut", []) => (true, None),
            _ => return Ok(None),
        };
        if super::iterators::is_chain(&call.receiver) {
            return Ok(None);
        }
        let base = self.expr(&call.receiver);
        let of = self.seen(&base)?;
        if !matches!(of, Ty::Array(..) | Ty::Slice(_)) {
            return Ok(None);
        }
        self.element_of(base, of, at, (method.starts_with("last"), mutable), call, statements)
            .map(Some)
    }

    fn element_of(
        &mut self,
        base: Node,
        of: Ty,
        at: Option<&Expr>,
        (last, mutable): (bool, bool),
        call: &ExprMethodCall,
        statements: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<(Node, Node)> {
        let extent = place(call);
        let given = matches!(self.types.shallow(&base.ty), Ty::Reference(..));
        let base = Node { ty: of.clone(), ..base };
        if mutable && !given {
            self.writes(&base)?;
        }
        let length = self.length_of(&base, extent)?;
        let length = as_usize(length);
        let index = match at {
            Some(at) => {
                let index = self.value(at);
                as_usize(self.index_value(index))
            }
            None if last => plus(Binary::Subtract, length.clone(), number(1, &Ty::USIZE, extent)),
            None => number(0, &Ty::USIZE, extent),
        };
        let index = match index.kind {
            ExprKind::Literal(_) | ExprKind::Local(_) => index,
            _ => self.named_value("index", index, statements),
        };
        let (whole, at) = self.in_whole(base, index.clone());
        let element = match &of {
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            _ => Ty::Error,
        };
        let kind = ExprKind::Binary(Binary::Less, Box::new(index), Box::new(length));
        let there = Node { kind, ty: Ty::BOOL, diverges: false, place: extent };
        let kind = ExprKind::Index(Box::new(whole), Box::new(at));
        let ty = Ty::Reference(mutable, Box::new(element));
        Ok((there, Node { kind, ty, diverges: false, place: extent }))
    }

    /// `x.get(i)` as a value: a copy of the element, if there is one.
    pub fn element_value(&mut self, expr: &Expr) -> syn::Result<Option<Node>> {
        let mut statements = Vec::new();
        let Some((there, element)) = self.element(expr, &mut statements)? else { return Ok(None) };
        let extent = place(expr);
        if matches!(element.ty, Ty::Reference(true, _)) {
            return refuse(
                extent,
                "what this lends is named by `if let Some(x) = …` or `let Some(x) = … else`",
            );
        }
        let ty = Ty::Enum(super::super::tree::Which::Option, vec![element.ty.clone()]);
        let node = |kind| Node { kind, ty: ty.clone(), diverges: false, place: extent };
        let some = node(ExprKind::Variant(1, vec![element]));
        let none = node(ExprKind::Variant(0, Vec::new()));
        let then = super::control::into_block(some);
        let value = node(ExprKind::If(Box::new(there), then, Some(Box::new(none))));
        if statements.is_empty() {
            return Ok(Some(value));
        }
        let block = Block { statements, value: Some(Box::new(value)), place: extent };
        Ok(Some(node(ExprKind::Block(None, block))))
    }

    /// The pattern in `Some(pattern)`.
    pub fn within_some<'p>(&self, pattern: &'p Pat) -> Option<&'p Pat> {
        match pattern {
            Pat::Paren(inner) => self.within_some(&inner.pat),
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                some.elems.first()
            }
            _ => None,
        }
    }
}

fn is_range(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => is_range(&inner.expr),
        Expr::Range(_) => true,
        _ => false,
    }
}

/// An index as `usize`.
pub fn as_usize(node: Node) -> Node {
    if node.ty == Ty::USIZE {
        return node;
    }
    let (diverges, place) = (node.diverges, node.place);
    if let (ExprKind::Literal(_), Ty::Infer(_)) = (&node.kind, &node.ty) {
        return Node { ty: Ty::USIZE, ..node };
    }
    Node { kind: ExprKind::Convert(Box::new(node)), ty: Ty::USIZE, diverges, place }
}

fn plus(operator: Binary, left: Node, right: Node) -> Node {
    let place: Place = left.place;
    let diverges = left.diverges || right.diverges;
    let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
    Node { kind, ty: Ty::USIZE, diverges, place }
}
