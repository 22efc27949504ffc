//! Iterators: chains of ranges, arrays and adaptors become loops over an index.

use super::super::tree::{
    Binary, ExprKind, LabelId, Literal, LocalId, Name, Place, Statement, Type,
};
use super::adaptors::gives_parts;
use super::body::{Body, Meaning, Node, error_node};
use super::build::{NodeBuilder, lent};
use super::calls::Arguments;
use super::control::into_block;
use super::errors::{place, refuse};
use super::evaluation_order::is_pure;
use super::infer::Ty;
use super::loops::LoopRange;
use super::names::{self, text};
use syn::{Expr, ExprMethodCall, Pat};

/// An iteration: the range of a loop, and the item of each loop iteration.
pub struct Iteration {
    pub turns: LoopRange,
    /// The loop variable.
    pub index: LocalId,
    /// The steps of each loop iteration before there is an item.
    pub stages: Vec<Stage>,
    pub item: Node,
    /// Whether there is exactly one item per loop iteration, in order: no item was filtered out or counted.
    pub direct: bool,
    /// Whether a closure computes the items. Rust calls it for skipped items too.
    pub computed: bool,
}

/// A step before an item is available.
pub enum Stage {
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
    fn turn(&self, label: LabelId) -> LabelId {
        let inner = self.stages.iter().rev().find_map(|stage| match stage {
            Stage::Each(_, _, label) => Some(*label),
            _ => None,
        });
        inner.unwrap_or(label)
    }
}

const ADAPTORS: [&str; 16] = [
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
        match expr {
            Expr::Paren(inner) => self.iteration(&inner.expr),
            Expr::Group(inner) => self.iteration(&inner.expr),
            Expr::Range(range) => {
                let turns = self.loop_range(range)?;
                Ok(self.of_turns(turns, place(expr)))
            }
            Expr::MethodCall(call) if is_chain(expr) => self.adapted(call),
            other => {
                let base = self.expr(other);
                self.elements(base, None)
            }
        }
    }

    pub fn of_turns(&mut self, turns: LoopRange, extent: Place) -> Iteration {
        let ty = turns.start.ty.clone();
        let index = self.local(Name { text: "index".to_owned(), place: extent }, ty.clone());
        let item = NodeBuilder(extent).local(index, &ty);
        Iteration { turns, index, stages: Vec::new(), item, direct: true, computed: false }
    }

    /// Fixes an array for iteration. Returns the array, its element type, and how the elements are borrowed: as `lent`
    /// says, or else as the array is.
    pub fn gone_through(
        &mut self,
        base: Node,
        lent: Option<bool>,
        before: &mut Vec<Statement<Ty>>,
    ) -> syn::Result<(Node, Ty, Option<bool>)> {
        let of = self.known_type(&base)?;
        let given = match self.types.shallow(&base.ty) {
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
        let (base, element, lent) = self.gone_through(base, lent, &mut before)?;
        let end = self.length_of(&base, extent);
        let start = NodeBuilder(extent).number(0, &Ty::U32);
        let end = unsigned(end);
        let turns = LoopRange { start, end, inclusive: false, step: None, reversed: false, before };
        let mut iteration = self.of_turns(turns, extent);
        let (base, at) = self.in_whole(base, iteration.item);
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

    fn adapted(&mut self, call: &ExprMethodCall) -> syn::Result<Iteration> {
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
                if of.turns.step.is_some() {
                    of.turns = self.stepped_back(of.turns, call)?;
                } else {
                    of.turns.reversed = !of.turns.reversed;
                }
            }
            ("step_by", [step]) => {
                let step = self.argument(step, &mut of.turns);
                if let ExprKind::Literal(Literal::Int(..=0)) = step.kind {
                    return refuse(step.place, "the step must be at least 1");
                }
                if !of.direct || of.computed {
                    let step = self.named_value("step", unsigned(step), &mut of.turns.before);
                    of.item = self.hold(of.item, &mut of.stages);
                    let position = self.position(&mut of, extent);
                    let rest = at.binary(Binary::Remainder, position, step);
                    of.stages.push(Stage::If(at.test(Binary::Equal, rest, at.number(0, &Ty::U32))));
                    return Ok(of);
                }
                of.turns.step = Some(match of.turns.step {
                    Some(first) => self.product(first, step),
                    None => step,
                });
            }
            ("copied" | "cloned", []) => {
                if let Ty::Reference(_, to) = self.types.shallow(&of.item.ty) {
                    of.item.ty = *to;
                }
            }
            ("enumerate", []) => {
                let position = self.position(&mut of, extent);
                of.item = at.pair(at.convert(position, &Ty::USIZE), of.item);
            }
            ("zip", [other]) => {
                let mut with = self.iteration(other)?;
                if !with.direct || with.turns.reversed {
                    return refuse(
                        place(*other),
                        "the argument of `zip` cannot be reversed or drop items: compute the index, `other[n - 1 - \
                         i]`",
                    );
                }
                if !with.turns.is_pure() {
                    self.evaluate_loop_range(&mut of.turns);
                }
                of.turns.before.append(&mut with.turns.before);
                let position = self.position(&mut of, extent);
                let position = self.hold(position, &mut of.stages);
                let (index, more) =
                    self.loop_index_at(&mut with, position, &mut of.turns.before, extent);
                of.stages.push(Stage::While(more, None));
                of.stages.push(Stage::Do(Statement::Let(with.index, Some(index), extent)));
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
                let holds = self.call_node(&function, vec![lent(&item)], extent)?;
                let holds = self.coerce(holds, &Ty::BOOL);
                of.stages.push(if method == "filter" {
                    Stage::If(holds)
                } else {
                    Stage::While(holds, None)
                });
                of.item = item;
                of.direct = false;
            }
            ("skip", [count]) if of.direct && !of.computed && !of.turns.reversed => {
                let count = self.argument(count, &mut of.turns);
                let ty = of.turns.start.ty.clone();
                // The step is used more than once.
                if of.turns.step.as_ref().is_some_and(|step| !is_pure(step)) {
                    self.evaluate_loop_range(&mut of.turns);
                }
                let count = NodeBuilder(count.place).convert(count, &ty);
                let by = match of.turns.step.clone() {
                    Some(step) => self.product(NodeBuilder(step.place).convert(step, &ty), count),
                    None => count,
                };
                of.turns.start = at.binary(Binary::Add, of.turns.start, by);
            }
            ("take", [count]) if !of.direct || of.turns.reversed || of.turns.step.is_some() => {
                let count = self.argument(count, &mut of.turns);
                let count = self.named_value("count", count, &mut of.turns.before);
                let count = unsigned(count);
                let zero = at.number(0, &Ty::U32);
                let taken = self.named_variable("taken", zero, &mut of.turns.before);
                // The count is tested first, because Rust does not search for items that are not taken.
                let more = at.test(Binary::Less, taken.clone(), count);
                let first = of.stages.iter().enumerate();
                let each = first.filter(|(_, stage)| matches!(stage, Stage::Each(..)));
                let each: Vec<usize> = each.map(|(at, _)| at + 1).collect();
                for at in each.into_iter().rev().chain([0]) {
                    of.stages.insert(at, Stage::While(more.clone(), None));
                }
                let one = at.number(1, &Ty::U32);
                of.stages.push(Stage::Do(at.update(Binary::Add, taken, one)));
                of.direct = false;
            }
            ("take" | "skip", [count]) => {
                let count = self.argument(count, &mut of.turns);
                let count = self.named_value("count", count, &mut of.turns.before);
                let count = unsigned(count);
                let position = self.position(&mut of, extent);
                if method == "take" {
                    let within = at.test(Binary::Less, position, count);
                    of.stages.push(Stage::While(within, None));
                } else {
                    of.item = self.hold(of.item, &mut of.stages);
                    let within = at.test(Binary::GreaterOrEqual, position, count);
                    of.stages.push(Stage::If(within));
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
    fn argument(&mut self, written: &Expr, turns: &mut LoopRange) -> Node {
        let value = self.value(written);
        let value = self.index_value(value);
        if is_pure(&value) {
            return value;
        }
        self.evaluate_loop_range(turns);
        self.named_value("argument", value, &mut turns.before)
    }

    /// Evaluates the bounds of the loop before later code.
    pub fn evaluate_loop_range(&mut self, turns: &mut LoopRange) {
        let LoopRange { start, end, step, before, .. } = turns;
        for (name, node) in [("start", start), ("end", end)] {
            *node = self.keep_value(name, node.clone(), before);
        }
        *step = step.take().map(|step| self.keep_value("step", step, before));
    }

    /// Returns the number of each item, counted from `first`.
    fn counted(&mut self, of: &mut Iteration, first: Node, extent: Place) -> Node {
        let first = self.keep_value("first", first, &mut of.turns.before);
        let position = self.position(of, extent);
        let position = NodeBuilder(extent).convert(position, &first.ty);
        NodeBuilder(extent).binary(Binary::Add, first, position)
    }

    /// Returns the number of previous items, as `u32`.
    pub fn position(&mut self, of: &mut Iteration, extent: Place) -> Node {
        let at = NodeBuilder(extent);
        let from_zero = matches!(of.turns.start.kind, ExprKind::Literal(Literal::Int(0)));
        if of.direct && from_zero && of.turns.step.is_none() && !of.turns.reversed {
            return unsigned(at.local(of.index, &of.turns.start.ty));
        }
        // The items need a counter of their own.
        let zero = at.number(0, &Ty::U32);
        let next = self.named_variable("next", zero, &mut of.turns.before);
        let mut stages = Vec::new();
        let position = self.named_value("position", next.clone(), &mut stages);
        stages.push(at.update(Binary::Add, next, at.number(1, &Ty::U32)));
        of.stages.extend(stages.into_iter().map(Stage::Do));
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
        let ty = of.turns.start.ty.clone();
        let at = NodeBuilder(extent);
        let from_zero = matches!(of.turns.start.kind, ExprKind::Literal(Literal::Int(0)));
        let start = match from_zero {
            true => None,
            false => Some(self.named_value("start", of.turns.start.clone(), before)),
        };
        let end = self.named_value("end", of.turns.end.clone(), before);
        let step = of.turns.step.take().map(|step| self.named_value("step", step, before));
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
        let operator = if of.turns.inclusive { Binary::LessOrEqual } else { Binary::Less };
        (index, at.test(operator, far, length))
    }

    /// Makes an item usable more than once: values become locals, references stay places.
    pub fn hold(&mut self, item: Node, stages: &mut Vec<Stage>) -> Node {
        let mut statements = Vec::new();
        let held = self.hold_parts(item, &mut statements);
        stages.extend(statements.into_iter().map(Stage::Do));
        held
    }

    pub fn hold_parts(&mut self, item: Node, statements: &mut Vec<Statement<Ty>>) -> Node {
        match (item.kind, self.types.shallow(&item.ty)) {
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
        match self.types.shallow(&function.ty).referent() {
            Ty::Closure(id) => self.call_closure(*id, arguments, extent),
            Ty::Error => Ok(error_node(extent)),
            _ => refuse(function.place, "this is not a function"),
        }
    }

    /// Returns the loop that runs `body` with each item.
    pub fn looped(
        &mut self,
        of: Iteration,
        label: LabelId,
        extent: Place,
        body: impl FnOnce(&mut Self, Node, &mut Vec<Statement<Ty>>) -> syn::Result<()>,
    ) -> syn::Result<Node> {
        let Iteration { turns, index, stages, item, .. } = of;
        let mut statements = Vec::new();
        let mut outer = Vec::new();
        let (mut turns, mut index, mut turn) = (turns, index, label);
        let at = NodeBuilder(extent);
        let leave = |condition: Node, kind| {
            at.when(at.not(condition), vec![Statement::Expr(at.leave(kind))])
        };
        for stage in stages {
            statements.push(match stage {
                Stage::Do(statement) => statement,
                Stage::If(condition) => leave(condition, ExprKind::Continue(turn)),
                Stage::While(condition, of) => {
                    leave(condition, ExprKind::Break(of.unwrap_or(label), None))
                }
                Stage::Each(inner, local, label) => {
                    let around = std::mem::take(&mut statements);
                    let turns = std::mem::replace(&mut turns, *inner);
                    outer.push((turns, index, turn, around));
                    (index, turn) = (local, label);
                    continue;
                }
            });
        }
        body(self, item, &mut statements)?;
        let mut looped = turns.into_loop(turn, index, at.block(statements), extent);
        while let Some((turns, index, turn, mut around)) = outer.pop() {
            around.push(Statement::Expr(looped));
            looped = turns.into_loop(turn, index, at.block(around), extent);
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
            target.turn = of.turn(label);
        }
        self.scoped(|body| {
            if of.stages.is_empty()
                && matches!(of.item.kind, ExprKind::Local(item) if item == of.index)
            {
                body.name_index(&expr.pat, of.index);
                let block = body.block(&expr.body);
                let block = into_block(body.coerce(block, &Ty::UNIT));
                return Ok(of.turns.into_loop(label, of.index, block, extent));
            }
            body.looped(of, label, extent, |body, item, statements| {
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
                self.name(name.text.clone(), Meaning::Local(index));
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

/// Returns the start of `a..`.
fn without_end(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Paren(inner) => without_end(&inner.expr),
        Expr::Range(syn::ExprRange { start: Some(start), end: None, .. }) => Some(start),
        _ => None,
    }
}

/// Returns a number as `u32`.
pub fn unsigned(number: Node) -> Node {
    NodeBuilder(number.place).convert(number, &Ty::U32)
}
