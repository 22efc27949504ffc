//! Iterators: chains of ranges, arrays and adaptors become loops over an index.

use super::super::tree::{
    Binary, ExprKind, LabelId, Literal, LocalId, Name, Place, Statement, Type,
};
use super::adaptors::{ADAPTORS, gives_parts};
use super::body::{Body, NameMeaning, Node, error_node};
use super::build::NodeBuilder;
use super::calls::Arguments;
use super::control::into_block;
use super::errors::{place, refuse};
use super::expressions::without_parentheses;
use super::infer::Ty;
use super::loops::LoopRange;
use super::names::{self, text};
use syn::{Expr, Pat};

/// An iteration: the range of a loop, and the item of each loop iteration.
pub struct Iteration {
    pub range: LoopRange,
    /// The loop variable.
    pub index: LocalId,
    /// The steps of each loop iteration before there is an item.
    pub stages: Vec<IterationStage>,
    pub item: Node,
    /// Whether there is exactly one item per loop iteration, in order: no item was filtered out or counted.
    pub direct: bool,
    /// Whether a closure computes the items. Rust calls it for skipped items too.
    pub computed: bool,
}

/// A step before an item is available.
pub enum IterationStage {
    Do(Statement<Ty>),
    /// The loop iteration has no item unless this condition holds.
    If(Node),
    /// The iteration ends unless this condition holds: the loop with this label, or all loops.
    While(Node, Option<LabelId>),
    /// The remaining steps run in each iteration of an inner loop with this index.
    Each(Box<LoopRange>, LocalId, LabelId),
}

impl Iteration {
    /// Returns the label of the loop that has one item per iteration, given the label of the outermost loop.
    fn next_label(&self, label: LabelId) -> LabelId {
        let inner = self.stages.iter().rev().find_map(|stage| match stage {
            IterationStage::Each(_, _, label) => Some(*label),
            _ => None,
        });
        inner.unwrap_or(label)
    }
}

/// Returns whether an expression is a chain that starts with a range or an array's `.iter()`.
pub fn is_chain(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => matches!(&*inner.expr, Expr::Range(_)) || is_chain(&inner.expr),
        Expr::Group(inner) => is_chain(&inner.expr),
        Expr::MethodCall(call) => {
            let method = text(&call.method);
            match (method.as_str(), call.args.len()) {
                ("iter" | "iter_mut" | "into_iter", 0) => true,
                _ if gives_parts(call) => true,
                _ => ADAPTORS.contains(&method.as_str()) && is_chain(&call.receiver),
            }
        }
        _ => false,
    }
}

impl Body<'_, '_> {
    /// Lowers a chain to an iteration.
    pub fn iteration(&mut self, expr: &Expr) -> syn::Result<Iteration> {
        if let std::borrow::Cow::Owned(expr) = self.with_chains(expr) {
            return self.iteration(&expr);
        }
        let expr = without_parentheses(expr);
        match expr {
            Expr::Range(range) => {
                let range = self.loop_range(range)?;
                Ok(self.range_iteration(range, place(expr)))
            }
            Expr::MethodCall(call) if is_chain(expr) => self.adapted(call),
            other => {
                let base = self.expr(other);
                self.elements(base, None)
            }
        }
    }

    pub fn range_iteration(&mut self, range: LoopRange, extent: Place) -> Iteration {
        let ty = range.start.ty.clone();
        let index = self.named_local("index", &ty, extent);
        let item = NodeBuilder(extent).local(index, &ty);
        Iteration { range, index, stages: Vec::new(), item, direct: true, computed: false }
    }

    /// Fixes an array for iteration. Returns the array, its element type, and how the elements are borrowed: as `lent`
    /// says, or else as the array is.
    pub fn fix_iterated_array(
        &mut self,
        base: Node,
        lent: Option<bool>,
        before: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<(Node, Ty, Option<bool>)> {
        let of = self.known_type(&base)?;
        let given = match self.types.resolve_shallow(&base.ty) {
            Ty::Reference(mutable, _) => Some(mutable),
            _ => None,
        };
        let element = match &of {
            Ty::Array(element, _) | Ty::Slice(element) => (**element).clone(),
            Ty::Error => Ty::Error,
            other => {
                let named = self.describe(other);
                return refuse(
                    base.place,
                    format!(
                        "a `{named}` is not an iterator: loop over a range, `0..n`, or the elements of an array"
                    ),
                );
            }
        };
        if lent == Some(true) && given.is_none() {
            self.writes(&base)?;
        }
        let lent = lent.or(given);
        let base = match (lent, super::places::is_place(&base)) {
            // The values that the elements have before the loop.
            (None, _) | (_, false) => self.named_value("items", Node { ty: of, ..base }, before),
            (Some(_), true) => self.fix_place(Node { ty: of, ..base }, before),
        };
        Ok((base, element, lent))
    }

    /// Returns the iteration over the elements of an array.
    pub fn elements(&mut self, base: Node, lent: Option<bool>) -> syn::Result<Iteration> {
        let extent = base.place;
        let mut before = Vec::new();
        let (base, element, lent) = self.fix_iterated_array(base, lent, &mut before)?;
        let end = self.length_of(&base, extent);
        let start = NodeBuilder(extent).number(0, &Ty::U32);
        let end = unsigned(end);
        let range = LoopRange { start, end, inclusive: false, step: None, reversed: false, before };
        let mut iteration = self.range_iteration(range, extent);
        let (base, at) = self.to_whole_array(base, iteration.item);
        let kind = ExprKind::Index(Box::new(base), Box::new(at));
        let ty = match lent {
            Some(mutable) => Ty::Reference(mutable, Box::new(element)),
            None => element,
        };
        iteration.item = Node { kind, ty, diverges: false, place: extent };
        Ok(iteration)
    }

    pub fn length_of(&mut self, base: &Node, extent: Place) -> Node {
        if let ExprKind::Slice(_, _, length) = &base.kind {
            return (**length).clone();
        }
        match &base.ty {
            Ty::Array(_, length) => {
                NodeBuilder(extent).convert(NodeBuilder(extent).zero(length), &Ty::U32)
            }
            _ => {
                let slice = Type::Slice(Box::new(Type::Unit));
                let candidates = super::super::builtins::methods(&slice, "len");
                let none = Arguments::new();
                let length =
                    self.builtin(&candidates, "len", None, Some(base.clone()), &none, extent);
                self.items.errors.keep(length).unwrap_or_else(|| error_node(extent))
            }
        }
    }

    /// Evaluates the bounds of the loop before later code.
    pub fn evaluate_loop_range(&mut self, range: &mut LoopRange) {
        let LoopRange { start, end, step, before, .. } = range;
        for (name, node) in [("start", start), ("end", end)] {
            *node = self.keep_value(name, node.clone(), before);
        }
        *step = step.take().map(|step| self.keep_value("step", step, before));
    }

    /// Returns the number of previous items, as `u32`.
    pub fn position(&mut self, of: &mut Iteration, extent: Place) -> Node {
        let at = NodeBuilder(extent);
        let from_zero = matches!(of.range.start.kind, ExprKind::Literal(Literal::Int(0)));
        if of.direct && from_zero && of.range.step.is_none() && !of.range.reversed {
            return unsigned(at.local(of.index, &of.range.start.ty));
        }
        // The items need a counter of their own.
        let zero = at.number(0, &Ty::U32);
        let next = self.named_variable("next", zero, &mut of.range.before);
        let mut stages = Vec::new();
        let position = self.named_value("position", next.clone(), &mut stages);
        stages.push(at.update(Binary::Add, next, at.number(1, &Ty::U32)));
        of.stages.extend(stages.into_iter().map(IterationStage::Do));
        of.direct = false;
        position
    }

    /// Returns the loop index at a position, and whether it is in range.
    pub fn loop_index_at(
        &mut self,
        of: &mut Iteration,
        position: Node,
        before: &mut Vec<Statement<Ty>>,
        extent: Place,
    ) -> (Node, Node) {
        let ty = of.range.start.ty.clone();
        let at = NodeBuilder(extent);
        let from_zero = matches!(of.range.start.kind, ExprKind::Literal(Literal::Int(0)));
        let start = match from_zero {
            true => None,
            false => Some(self.named_value("start", of.range.start.clone(), before)),
        };
        let end = self.named_value("end", of.range.end.clone(), before);
        let step = of.range.step.take().map(|step| self.named_value("step", step, before));
        let far = match step {
            Some(step) => at.binary(Binary::Multiply, position, unsigned(step)),
            None => position,
        };
        let far_as = at.convert(far.clone(), &ty);
        let (index, length) = match start {
            None => (far_as, unsigned(end)),
            Some(start) => {
                let first = unsigned(start.clone());
                let length = at.binary(Binary::Subtract, unsigned(end), first);
                (at.binary(Binary::Add, start, far_as), length)
            }
        };
        let operator = if of.range.inclusive { Binary::LessOrEqual } else { Binary::Less };
        (index, at.test(operator, far, length))
    }

    /// Makes an item usable more than once: values become locals, references stay places.
    pub fn hold(&mut self, item: Node, stages: &mut Vec<IterationStage>) -> Node {
        let mut statements = Vec::new();
        let held = self.hold_parts(item, &mut statements);
        stages.extend(statements.into_iter().map(IterationStage::Do));
        held
    }

    pub fn hold_parts(&mut self, item: Node, statements: &mut Vec<Statement<Ty>>) -> Node {
        match (item.kind, self.types.resolve_shallow(&item.ty)) {
            (kind, Ty::Reference(..)) => self.fix_place(Node { kind, ..item }, statements),
            (ExprKind::Construct(parts), Ty::Tuple(_)) => {
                let parts = parts.into_iter().map(|part| self.hold_parts(part, statements));
                Node { kind: ExprKind::Construct(parts.collect()), ..item }
            }
            (kind @ (ExprKind::Local(_) | ExprKind::Literal(_)), _) => Node { kind, ..item },
            (kind, _) => self.named_value("item", Node { kind, ..item }, statements),
        }
    }

    /// Lowers a call of a value that must be a closure.
    pub fn call_node(
        &mut self,
        function: &Node,
        arguments: Vec<Node>,
        extent: Place,
    ) -> syn::Result<Node> {
        match self.types.resolve_shallow(&function.ty).referent() {
            Ty::Closure(id) => self.call_closure(*id, arguments, extent),
            Ty::Error => Ok(error_node(extent)),
            _ => refuse(function.place, "this is not a function"),
        }
    }

    /// Returns the loop that runs `body` with each item.
    pub fn lower_iteration_loop(
        &mut self,
        of: Iteration,
        label: LabelId,
        extent: Place,
        body: impl FnOnce(&mut Self, Node, &mut Vec<Statement<Ty>>) -> syn::Result<()>,
    ) -> syn::Result<Node> {
        let Iteration { range, index, stages, item, .. } = of;
        let mut statements = Vec::new();
        let mut outer = Vec::new();
        let (mut range, mut index, mut next) = (range, index, label);
        let at = NodeBuilder(extent);
        let leave = |condition: Node, kind| {
            at.when(at.not(condition), vec![Statement::Expr(at.leave(kind))])
        };
        for stage in stages {
            statements.push(match stage {
                IterationStage::Do(statement) => statement,
                IterationStage::If(condition) => leave(condition, ExprKind::Continue(next)),
                IterationStage::While(condition, of) => {
                    leave(condition, ExprKind::Break(of.unwrap_or(label), None))
                }
                IterationStage::Each(inner, local, label) => {
                    let around = std::mem::take(&mut statements);
                    let range = std::mem::replace(&mut range, *inner);
                    outer.push((range, index, next, around));
                    (index, next) = (local, label);
                    continue;
                }
            });
        }
        body(self, item, &mut statements)?;
        let mut looped = range.into_loop(next, index, at.block(statements), extent);
        while let Some((range, index, next, mut around)) = outer.pop() {
            around.push(Statement::Expr(looped));
            looped = range.into_loop(next, index, at.block(around), extent);
        }
        Ok(looped)
    }

    /// Lowers `for pattern in chain { … }`.
    pub fn for_each_item(
        &mut self,
        expr: &syn::ExprForLoop,
        of: Iteration,
        label: LabelId,
    ) -> syn::Result<Node> {
        let extent = place(expr);
        if let Some(target) = self.targets.last_mut() {
            target.next = of.next_label(label);
        }
        self.scoped(|body| {
            if of.stages.is_empty()
                && matches!(of.item.kind, ExprKind::Local(item) if item == of.index)
            {
                body.name_index(&expr.pat, of.index);
                let block = body.block(&expr.body);
                let block = into_block(body.coerce(block, &Ty::UNIT));
                return Ok(of.range.into_loop(label, of.index, block, extent));
            }
            body.lower_iteration_loop(of, label, extent, |body, item, statements| {
                body.bind_argument(&expr.pat, item, statements)?;
                let block = body.block(&expr.body);
                let block = body.coerce(block, &Ty::UNIT);
                let place = block.place;
                let kind = ExprKind::Block(None, into_block(block));
                statements.push(Statement::Expr(NodeBuilder(place).node(kind, &Ty::UNIT)));
                Ok(())
            })
        })
    }

    /// Gives the index of a loop the name in a pattern.
    fn name_index(&mut self, pattern: &Pat, index: LocalId) {
        let name = match pattern {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                let name = names::name(&pattern.ident);
                self.name(name.text.clone(), NameMeaning::Local(index));
                name
            }
            Pat::Wild(_) => Name { text: "turn".to_owned(), place: place(pattern) },
            other => {
                self.report(place(other), "a loop variable must be a single name");
                Name { text: String::new(), place: place(other) }
            }
        };
        self.locals[index.0].name = name;
    }
}

/// Returns a number as `u32`.
pub fn unsigned(number: Node) -> Node {
    NodeBuilder(number.place).convert(number, &Ty::U32)
}
