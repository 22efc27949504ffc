//! Adaptors of iterators: each changes the range of the loop, adds a stage before an item, or computes the item.

use super::super::tree::{Binary, EnumKind, ExprKind, Literal, Place, Statement};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::errors::{place, refuse};
use super::infer::Ty;
use super::iterators::{Iteration, Stage, is_chain, unsigned};
use super::loops::LoopRange;
use super::names::text;
use super::slices::as_usize;
use crate::ir::claims::Claim;
use syn::{Expr, ExprMethodCall};

/// Returns whether a call on an array iterates over parts of it.
pub fn gives_parts(call: &ExprMethodCall) -> bool {
    let names = ["windows", "chunks", "chunks_mut", "chunks_exact", "chunks_exact_mut"];
    call.args.len() == 1 && names.iter().any(|name| call.method == name)
}

impl Body<'_, '_> {
    /// Lowers such a call to an iteration over the parts.
    pub fn parts(&mut self, base: Node, call: &ExprMethodCall) -> syn::Result<Iteration> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let method = text(&call.method);
        let mutable = method.ends_with("_mut");
        let mut before = Vec::new();
        let (base, element, _) = self.gone_through(base, Some(mutable), &mut before)?;
        let size = self.value(&call.args[0]);
        let size = self.index_value(size);
        let is_known = match size.kind {
            ExprKind::Literal(Literal::Int(..=0)) => {
                return refuse(size.place, "the size of a chunk must be at least 1");
            }
            ExprKind::Literal(_) => true,
            _ => false,
        };
        let size = self.named_value("size", unsigned(size), &mut before);
        let zero = at.number(0, &Ty::U32);
        if !is_known {
            let some = at.test(Binary::NotEqual, size.clone(), zero.clone());
            let claim = ExprKind::Claim(Claim::Holds, Some(Box::new(some)));
            before.push(Statement::Expr(at.node(claim, &Ty::UNIT)));
        }
        let length = self.length_of(&base, extent);
        let length = self.named_value("length", unsigned(length), &mut before);
        let with = |operator, a: &Node, b: &Node| at.binary(operator, a.clone(), b.clone());
        let whole_ones = with(Binary::Divide, &length, &size);
        let count = match method.as_str() {
            "windows" => {
                let rest = with(Binary::Subtract, &length, &size);
                let more = at.binary(Binary::Add, rest, at.number(1, &Ty::U32));
                let enough = at.test(Binary::GreaterOrEqual, length.clone(), size.clone());
                at.choose(enough, more, zero.clone())
            }
            "chunks" | "chunks_mut" => {
                let rest = with(Binary::Remainder, &length, &size);
                let last = at.convert(at.test(Binary::NotEqual, rest, zero.clone()), &Ty::U32);
                at.binary(Binary::Add, whole_ones, last)
            }
            _ => whole_ones,
        };
        let end = self.named_value("count", count, &mut before);
        let turns =
            LoopRange { start: zero, end, inclusive: false, step: None, reversed: false, before };
        let mut iteration = self.of_turns(turns, extent);
        let first = match method.as_str() {
            "windows" => iteration.item.clone(),
            _ => with(Binary::Multiply, &iteration.item, &size),
        };
        let mut statements = Vec::new();
        let first = self.named_value("first", first, &mut statements);
        let own = match method.as_str() {
            "chunks" | "chunks_mut" => {
                let left = with(Binary::Subtract, &length, &first);
                let left = self.named_value("left", left, &mut statements);
                let less = at.test(Binary::Less, left.clone(), size.clone());
                let own = at.choose(less, left, size);
                self.named_value("own", own, &mut statements)
            }
            _ => size,
        };
        let (whole, start) = self.in_whole(base, first);
        let start = self.named_value("start", as_usize(start), &mut statements);
        let kind = ExprKind::Slice(Box::new(whole), Box::new(start), Box::new(as_usize(own)));
        let part = Ty::Slice(Box::new(element));
        iteration.item = at.node(kind, &Ty::Reference(mutable, Box::new(part)));
        iteration.stages.extend(statements.into_iter().map(Stage::Do));
        Ok(iteration)
    }
}

impl Body<'_, '_> {
    /// Lowers `chain.flat_map(function)`.
    pub fn flat_mapped(
        &mut self,
        mut of: Iteration,
        function: &Node,
        extent: Place,
    ) -> syn::Result<Iteration> {
        if let Ty::Closure(id) = self.types.shallow(&function.ty).referent()
            && self.gives_chain(*id)
        {
            let (statements, inner) = self.call_for_chain(*id, vec![of.item.clone()], extent)?;
            of.stages.extend(statements.into_iter().map(Stage::Do));
            return Ok(self.nested(of, inner));
        }
        of.item = self.call_node(function, vec![of.item], extent)?;
        self.flattened(of, extent)
    }

    /// Lowers `chain.flatten()`.
    pub fn flattened(&mut self, mut of: Iteration, extent: Place) -> syn::Result<Iteration> {
        if !self.is_option(&of.item) {
            let inner = self.elements(of.item.clone(), None)?;
            return Ok(self.nested(of, inner));
        }
        let found = self.hold(of.item, &mut of.stages);
        let is_some = self.variant_method(&found, "is_some", &[], extent)?;
        let value = self.variant_method(&found, "unwrap", &[], extent)?;
        let (Some(is_some), Some(value)) = (is_some, value) else {
            return refuse(extent, "the items of this iterator are not iterators");
        };
        of.stages.push(Stage::If(is_some));
        of.item = value;
        of.direct = false;
        Ok(of)
    }

    pub fn is_option(&self, node: &Node) -> bool {
        matches!(self.types.shallow(&node.ty).referent(), Ty::Enum(EnumKind::Option, _))
    }

    /// Returns the iteration over the items of `inner` in each iteration of `of`.
    fn nested(&mut self, mut of: Iteration, inner: Iteration) -> Iteration {
        let label = self.label();
        of.stages.push(Stage::Each(Box::new(inner.turns), inner.index, label));
        of.stages.extend(inner.stages.into_iter().map(|stage| match stage {
            Stage::While(condition, None) => Stage::While(condition, Some(label)),
            other => other,
        }));
        Iteration { item: inner.item, direct: false, ..of }
    }
}

/// Returns the chain and the argument of `chain.nth(i)`.
pub fn nth_of(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr {
        Expr::Paren(inner) => nth_of(&inner.expr),
        Expr::MethodCall(call) if call.method == "nth" && is_chain(&call.receiver) => {
            let nth = call.args.first().filter(|_| call.args.len() == 1)?;
            Some((&*call.receiver, nth))
        }
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Returns whether the item exists, and the item. Statements that must run first are added to `statements`.
    pub fn nth(
        &mut self,
        chain: &Expr,
        nth: &Expr,
        statements: &mut Vec<Statement<Ty>>,
        extent: Place,
    ) -> syn::Result<(Node, Node)> {
        let mut of = self.iteration(chain)?;
        if of.computed {
            return refuse(
                extent,
                "`nth` after `map` would also compute the skipped items: call `nth` first, then `map` its result",
            );
        }
        let mut stages = Vec::new();
        for stage in std::mem::take(&mut of.stages) {
            match stage {
                Stage::Do(statement) if of.direct && !of.turns.reversed => stages.push(statement),
                _ => {
                    let message = "`nth` is not supported on an iterator that is reversed or drops items: write a \
                                   loop";
                    return refuse(extent, message);
                }
            }
        }
        statements.append(&mut of.turns.before);
        let nth = self.value(nth);
        let nth = as_usize(self.index_value(nth));
        let nth = self.named_value("nth", nth, statements);
        let (index, there) = self.loop_index_at(&mut of, nth, statements, extent);
        let there = self.named_value("there", there, statements);
        statements.push(Statement::Let(of.index, Some(index), extent));
        statements.append(&mut stages);
        Ok((there, of.item))
    }
}
