//! Adaptors of iterators: each changes the range of the loop, adds a stage before an item, or computes the item.

use super::super::tree::{Binary, EnumKind, ExprKind, Literal, Place, Statement};
use super::body::{Body, Node};
use super::build::{NodeBuilder, lend};
use super::errors::{place, refuse};
use super::evaluation_order::is_pure;
use super::expressions::without_parentheses;
use super::infer::Ty;
use super::iterators::{Iteration, IterationStage, is_chain, unsigned};
use super::loops::LoopRange;
use super::names::text;
use super::slices::as_usize;
use crate::ir::claims::Claim;
use syn::{Expr, ExprMethodCall};

pub const ADAPTORS: [&str; 16] = [
    "filter_map",
    "flat_map",
    "flatten",
    "rev",
    "step_by",
    "enumerate",
    "zip",
    "map",
    "filter",
    "take",
    "skip",
    "take_while",
    "copied",
    "cloned",
    "iter",
    "iter_mut",
];

/// Returns whether a call on an array iterates over parts of it.
pub fn gives_parts(call: &ExprMethodCall) -> bool {
    let names = ["windows", "chunks", "chunks_mut", "chunks_exact", "chunks_exact_mut"];
    call.args.len() == 1 && names.iter().any(|name| call.method == name)
}

impl Body<'_, '_> {
    /// Lowers a call of an adaptor, or the start of a chain.
    pub fn adapted(&mut self, call: &ExprMethodCall) -> syn::Result<Iteration> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let method = text(&call.method);
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let method_place = place(&call.method);
        if let ("iter" | "iter_mut" | "into_iter", []) = (method.as_str(), &arguments[..]) {
            if is_chain(&call.receiver) {
                return self.iteration(&call.receiver);
            }
            let base = self.expr(&call.receiver);
            let lent = match method.as_str() {
                "iter" => Some(false),
                "iter_mut" => Some(true),
                _ => None,
            };
            return self.elements(base, lent);
        }
        if gives_parts(call) {
            let base = self.expr(&call.receiver);
            return self.parts(base, call);
        }
        // A range without an end goes as far as the iterator that it is zipped with.
        if let ("zip", [other], Some(first)) =
            (method.as_str(), &arguments[..], without_end(&call.receiver))
        {
            let first = self.value(first);
            let mut of = self.iteration(other)?;
            let number = self.counted(&mut of, first, extent);
            of.item = at.pair(number, of.item);
            return Ok(of);
        }
        let mut of = self.iteration(&call.receiver)?;
        if let ("zip", [other]) = (method.as_str(), &arguments[..])
            && let Some(first) = without_end(other)
        {
            let first = self.value(first);
            let number = self.counted(&mut of, first, extent);
            of.item = at.pair(of.item, number);
            return Ok(of);
        }
        match (method.as_str(), &arguments[..]) {
            ("rev", []) => {
                if !of.direct {
                    return refuse(
                        method_place,
                        "`rev` cannot follow an adaptor that counts or drops items: call `rev` first",
                    );
                }
                if of.range.step.is_some() {
                    of.range = self.stepped_back(of.range, call)?;
                } else {
                    of.range.reversed = !of.range.reversed;
                }
            }
            ("step_by", [step]) => {
                let step = self.argument(step, &mut of.range);
                if let ExprKind::Literal(Literal::Int(..=0)) = step.kind {
                    return refuse(step.place, "the step must be at least 1");
                }
                if !of.direct || of.computed {
                    let step = self.named_value("step", unsigned(step), &mut of.range.before);
                    of.item = self.hold(of.item, &mut of.stages);
                    let position = self.position(&mut of, extent);
                    let rest = at.binary(Binary::Remainder, position, step);
                    of.stages.push(IterationStage::If(at.test(
                        Binary::Equal,
                        rest,
                        at.number(0, &Ty::U32),
                    )));
                    return Ok(of);
                }
                of.range.step = Some(match of.range.step {
                    Some(first) => self.product(first, step),
                    None => step,
                });
            }
            ("copied" | "cloned", []) => {
                if let Ty::Reference(_, to) = self.types.resolve_shallow(&of.item.ty) {
                    of.item.ty = *to;
                }
            }
            ("enumerate", []) => {
                let position = self.position(&mut of, extent);
                of.item = at.pair(at.convert(position, &Ty::USIZE), of.item);
            }
            ("zip", [other]) => {
                let mut with = self.iteration(other)?;
                if !with.direct || with.range.reversed {
                    return refuse(
                        place(*other),
                        "the argument of `zip` cannot be reversed or drop items: compute the index, `other[n - 1 - \
                         i]`",
                    );
                }
                if !with.range.is_pure() {
                    self.evaluate_loop_range(&mut of.range);
                }
                of.range.before.append(&mut with.range.before);
                let position = self.position(&mut of, extent);
                let position = self.hold(position, &mut of.stages);
                let (index, more) =
                    self.loop_index_at(&mut with, position, &mut of.range.before, extent);
                of.stages.push(IterationStage::While(more, None));
                of.stages.push(IterationStage::Do(Statement::Let(with.index, Some(index), extent)));
                of.stages.append(&mut with.stages);
                of.item = at.pair(of.item, with.item);
                of.direct = false;
            }
            ("map", [function]) => {
                let function = self.expr(function);
                of.item = self.call_node(&function, vec![of.item], extent)?;
                of.computed = true;
            }
            ("filter_map", [function]) => {
                let function = self.expr(function);
                of.item = self.call_node(&function, vec![of.item], extent)?;
                if !self.is_option(&of.item) {
                    return refuse(method_place, "this closure must return an `Option`");
                }
                return self.flattened(of, extent);
            }
            ("flat_map", [function]) => {
                let function = self.expr(function);
                return self.flat_mapped(of, &function, extent);
            }
            ("flatten", []) => return self.flattened(of, extent),
            ("filter" | "take_while", [function]) => {
                let function = self.expr(function);
                let item = self.hold(of.item, &mut of.stages);
                let holds = self.call_node(&function, vec![lend(&item)], extent)?;
                let holds = self.coerce(holds, &Ty::BOOL);
                of.stages.push(if method == "filter" {
                    IterationStage::If(holds)
                } else {
                    IterationStage::While(holds, None)
                });
                of.item = item;
                of.direct = false;
            }
            ("skip", [count]) if of.direct && !of.computed && !of.range.reversed => {
                let count = self.argument(count, &mut of.range);
                let ty = of.range.start.ty.clone();
                // The step is used more than once.
                if of.range.step.as_ref().is_some_and(|step| !is_pure(step)) {
                    self.evaluate_loop_range(&mut of.range);
                }
                let count = NodeBuilder(count.place).convert(count, &ty);
                let by = match of.range.step.clone() {
                    Some(step) => self.product(NodeBuilder(step.place).convert(step, &ty), count),
                    None => count,
                };
                of.range.start = at.binary(Binary::Add, of.range.start, by);
            }
            ("take", [count]) if !of.direct || of.range.reversed || of.range.step.is_some() => {
                let count = self.argument(count, &mut of.range);
                let count = self.named_value("count", count, &mut of.range.before);
                let count = unsigned(count);
                let zero = at.number(0, &Ty::U32);
                let taken = self.named_variable("taken", zero, &mut of.range.before);
                // The count is tested first, because Rust does not search for items that are not taken.
                let more = at.test(Binary::Less, taken.clone(), count);
                let first = of.stages.iter().enumerate();
                let each = first.filter(|(_, stage)| matches!(stage, IterationStage::Each(..)));
                let each: Vec<usize> = each.map(|(at, _)| at + 1).collect();
                for at in each.into_iter().rev().chain([0]) {
                    of.stages.insert(at, IterationStage::While(more.clone(), None));
                }
                let one = at.number(1, &Ty::U32);
                of.stages.push(IterationStage::Do(at.update(Binary::Add, taken, one)));
                of.direct = false;
            }
            ("take" | "skip", [count]) => {
                let count = self.argument(count, &mut of.range);
                let count = self.named_value("count", count, &mut of.range.before);
                let count = unsigned(count);
                let position = self.position(&mut of, extent);
                if method == "take" {
                    let within = at.test(Binary::Less, position, count);
                    of.stages.push(IterationStage::While(within, None));
                } else {
                    of.item = self.hold(of.item, &mut of.stages);
                    let within = at.test(Binary::GreaterOrEqual, position, count);
                    of.stages.push(IterationStage::If(within));
                }
                of.direct = false;
            }
            _ => {
                return refuse(
                    method_place,
                    format!(
                        "the iterator method `.{method}(…)` is not supported like this: write a loop"
                    ),
                );
            }
        }
        Ok(of)
    }

    /// Evaluates the argument of an adaptor once, after the receiver.
    fn argument(&mut self, written: &Expr, range: &mut LoopRange) -> Node {
        let value = self.value(written);
        let value = self.index_value(value);
        if is_pure(&value) {
            return value;
        }
        self.evaluate_loop_range(range);
        self.named_value("argument", value, &mut range.before)
    }

    /// Returns the number of each item, counted from `first`.
    fn counted(&mut self, of: &mut Iteration, first: Node, extent: Place) -> Node {
        let first = self.keep_value("first", first, &mut of.range.before);
        let position = self.position(of, extent);
        let position = NodeBuilder(extent).convert(position, &first.ty);
        NodeBuilder(extent).binary(Binary::Add, first, position)
    }

    /// Lowers such a call to an iteration over the parts.
    pub fn parts(&mut self, base: Node, call: &ExprMethodCall) -> syn::Result<Iteration> {
        let (extent, at) = (place(call), NodeBuilder(place(call)));
        let method = text(&call.method);
        let mutable = method.ends_with("_mut");
        let mut before = Vec::new();
        let (base, element, _) = self.fix_iterated_array(base, Some(mutable), &mut before)?;
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
        let range =
            LoopRange { start: zero, end, inclusive: false, step: None, reversed: false, before };
        let mut iteration = self.range_iteration(range, extent);
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
        let (whole, start) = self.to_whole_array(base, first);
        let start = self.named_value("start", as_usize(start), &mut statements);
        let kind = ExprKind::Slice(Box::new(whole), Box::new(start), Box::new(as_usize(own)));
        let part = Ty::Slice(Box::new(element));
        iteration.item = at.node(kind, &Ty::Reference(mutable, Box::new(part)));
        iteration.stages.extend(statements.into_iter().map(IterationStage::Do));
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
        if let Ty::Closure(id) = self.types.resolve_shallow(&function.ty).referent()
            && self.gives_chain(*id)
        {
            let (statements, inner) = self.call_for_chain(*id, vec![of.item.clone()], extent)?;
            of.stages.extend(statements.into_iter().map(IterationStage::Do));
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
        of.stages.push(IterationStage::If(is_some));
        of.item = value;
        of.direct = false;
        Ok(of)
    }

    pub fn is_option(&self, node: &Node) -> bool {
        matches!(self.types.resolve_shallow(&node.ty).referent(), Ty::Enum(EnumKind::Option, _))
    }

    /// Returns the iteration over the items of `inner` in each iteration of `of`.
    fn nested(&mut self, mut of: Iteration, inner: Iteration) -> Iteration {
        let label = self.label();
        of.stages.push(IterationStage::Each(Box::new(inner.range), inner.index, label));
        of.stages.extend(inner.stages.into_iter().map(|stage| match stage {
            IterationStage::While(condition, None) => IterationStage::While(condition, Some(label)),
            other => other,
        }));
        Iteration { item: inner.item, direct: false, ..of }
    }
}

/// Returns the chain and the argument of `chain.nth(i)`.
pub fn nth_of(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match without_parentheses(expr) {
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
                IterationStage::Do(statement) if of.direct && !of.range.reversed => {
                    stages.push(statement)
                }
                _ => {
                    let message = "`nth` is not supported on an iterator that is reversed or drops items: write a \
                                   loop";
                    return refuse(extent, message);
                }
            }
        }
        statements.append(&mut of.range.before);
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

/// Returns the start of `a..`.
fn without_end(expr: &Expr) -> Option<&Expr> {
    match without_parentheses(expr) {
        Expr::Range(syn::ExprRange { start: Some(start), end: None, .. }) => Some(start),
        _ => None,
    }
}
