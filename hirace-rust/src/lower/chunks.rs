//! Iterators over consecutive parts of an array: `chunks`, `chunks_exact`, `windows`.

use super::super::tree::{Binary, ExprKind, Literal, Statement};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::errors::{place, refuse};
use super::infer::Ty;
use super::iterators::{Iteration, Stage, unsigned};
use super::loops::LoopRange;
use super::names::text;
use super::slices::as_usize;
use crate::ir::claims::Claim;
use syn::ExprMethodCall;

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
