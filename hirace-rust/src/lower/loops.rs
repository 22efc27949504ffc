//! Loops, `break` and `continue`.

use super::super::tree::{
    Arm, Binary, Block, ExprKind, For, LabelId, LocalId, Pattern, Place, Scalar, Statement,
};
use super::body::{Body, Node};
use super::build::NodeBuilder;
use super::control::{after, empty, into_block};
use super::errors::{at, place, refuse};
use super::evaluation_order::is_pure;
use super::infer::{Ty, VariableKind};
use super::names::did_you_mean;
use super::operators::Shape;
use syn::{
    Expr, ExprBreak, ExprContinue, ExprForLoop, ExprLoop, ExprMethodCall, ExprRange, ExprWhile,
    Label, Lifetime,
};

/// A loop or labeled block that can be left.
pub struct Target {
    pub label: Option<String>,
    pub id: LabelId,
    /// The target of `continue`: the innermost of the loops that it was lowered to.
    pub next: LabelId,
    pub kind: TargetKind,
    /// Whether anything leaves it.
    pub left: bool,
}

/// The kind of a [`Target`].
pub enum TargetKind {
    /// `loop`, with the type of its value.
    Endless(Ty),
    /// `while`, `for`.
    Loop,
    /// A labeled block, with the type of its value.
    Block(Ty),
}

impl Body<'_, '_> {
    fn enter(&mut self, label: &Option<Label>, kind: TargetKind) -> LabelId {
        let id = self.label();
        let label = label.as_ref().map(|label| label.name.ident.to_string());
        self.targets.push(Target { label, id, next: id, kind, left: false });
        id
    }

    /// Lowers `loop`.
    pub fn lower_endless_loop(&mut self, expr: &ExprLoop) -> syn::Result<Node> {
        let ty = self.types.fresh(VariableKind::Any);
        let id = self.enter(&expr.label, TargetKind::Endless(ty.clone()));
        let body = self.block(&expr.body);
        let body = self.coerce(body, &Ty::UNIT);
        let left = self.targets.pop().is_some_and(|target| target.left);
        let kind = ExprKind::Loop(id, into_block(body));
        let ty = if left { ty } else { Ty::Never };
        Ok(Node { kind, ty, diverges: !left, place: place(expr) })
    }

    /// Lowers `while` and `while let`.
    pub fn while_loop(&mut self, expr: &ExprWhile) -> syn::Result<Node> {
        let extent = place(expr);
        if let Expr::Let(condition) = &*expr.cond {
            let id = self.enter(&expr.label, TargetKind::Loop);
            let (value, lent) = self.lower_scrutinee(&condition.expr);
            let (pattern, body) = self.scoped(|body| {
                let pattern = body.pattern_of(&condition.pat, (&value.ty, lent), &mut Vec::new());
                (pattern, body.block(&expr.body))
            });
            let body = self.coerce(body, &Ty::UNIT);
            self.targets.pop();
            let (of, at) = (NodeBuilder(value.place), NodeBuilder(extent));
            let leave = at.leave(ExprKind::Break(id, None));
            let arms = vec![
                Arm { pattern, guard: None, body },
                Arm { pattern: Pattern::Wildcard, guard: None, body: leave },
            ];
            let iteration = of.node(ExprKind::Match(Box::new(value), arms), &Ty::UNIT);
            let body = at.block(vec![Statement::Expr(iteration)]);
            return Ok(at.node(ExprKind::Loop(id, body), &Ty::UNIT));
        }
        if let Some(parts) = super::let_chains::parts(&expr.cond) {
            return Ok(self.while_chain(&parts, expr));
        }
        let id = self.enter(&expr.label, TargetKind::Loop);
        let condition = self.expr(&expr.cond);
        let condition = self.coerce(condition, &Ty::BOOL);
        let body = self.block(&expr.body);
        let body = self.coerce(body, &Ty::UNIT);
        self.targets.pop();
        let kind = ExprKind::While(id, Box::new(condition), into_block(body));
        Ok(Node { kind, ty: Ty::UNIT, diverges: false, place: extent })
    }

    /// Lowers `for`.
    pub fn for_loop(&mut self, expr: &ExprForLoop) -> syn::Result<Node> {
        let of = self.iteration(&expr.expr);
        let id = self.enter(&expr.label, TargetKind::Loop);
        let looped = match of {
            Ok(of) => self.for_each_item(expr, of, id),
            Err(error) => self.without_items(expr, error),
        };
        self.targets.pop();
        looped
    }

    /// Lowers the body of a loop whose iterator has an error, to report the errors in it.
    fn without_items(&mut self, expr: &ExprForLoop, error: syn::Error) -> syn::Result<Node> {
        self.scoped(|body| {
            body.declare_names(&expr.pat);
            body.block(&expr.body);
        });
        Err(error)
    }

    /// Lowers the range of a `for`.
    pub fn loop_range(&mut self, range: &ExprRange) -> syn::Result<LoopRange> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            return refuse(
                place(range),
                "the range of a `for` needs a start and an end: write `0..n`, or use `loop`",
            );
        };
        let start = self.value(start);
        let end = self.value(end);
        for end in [&start, &end] {
            if let Shape::Float | Shape::ScalarOrVector(Scalar::F32 | Scalar::F16, _) =
                self.shape(&end.ty)
            {
                return refuse(
                    end.place,
                    "the range of a `for` must be integers: compute the float inside the loop, `i as f32 * step`",
                );
            }
        }
        let end = self.coerce(end, &start.ty);
        let [start, end] = [start, end].map(|end| match self.shape(&end.ty) {
            Shape::ScalarOrVector(scalar, None) if scalar.is_integer() => end,
            _ => self.index_value(end),
        });
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        Ok(LoopRange { start, end, inclusive, step: None, reversed: false, before: Vec::new() })
    }

    /// Lowers `(a..b).step_by(n).rev()`: starts from the last value of the stepped range, which is computed before the
    /// loop.
    pub fn stepped_back(
        &mut self,
        range: LoopRange,
        call: &ExprMethodCall,
    ) -> syn::Result<LoopRange> {
        if range.reversed || range.inclusive {
            return refuse(
                place(&call.method),
                "this order of `rev` and `step_by` is not supported: write `(a..b).rev().step_by(n)`",
            );
        }
        let extent = place(call);
        let ty = range.start.ty.clone();
        let Some(step) = range.step else { return Ok(range) };
        let mut before = range.before;
        let first = self.named_value("first", range.start, &mut before);
        let end = self.named_value("end", range.end, &mut before);
        let step = self.named_value("step", step, &mut before);
        let at = NodeBuilder(extent);
        let with = |operator, a, b| at.binary(operator, a, b);
        let unsigned = |value: &Node| at.convert(value.clone(), &Ty::U32);
        // The distance from the first to the last value, as `u32`, which is large enough for every range of `i32`.
        let span = with(Binary::Subtract, unsigned(&end), unsigned(&first));
        let span = with(Binary::Subtract, span, at.number(1, &Ty::U32));
        let steps = with(Binary::Divide, span, unsigned(&step));
        let far = at.convert(with(Binary::Multiply, steps, unsigned(&step)), &ty);
        let past = with(Binary::Add, with(Binary::Add, first.clone(), far), at.number(1, &ty));
        let some = at.test(Binary::Less, first.clone(), end);
        let end = at.choose(some, past, first.clone());
        Ok(LoopRange {
            start: first,
            end,
            inclusive: false,
            step: Some(step),
            reversed: true,
            before,
        })
    }

    /// Multiplies two steps.
    pub fn product(&mut self, first: Node, second: Node) -> Node {
        let second = self.coerce(second, &first.ty);
        NodeBuilder(second.place).binary(Binary::Multiply, first, second)
    }

    /// Lowers `break`.
    pub fn break_out(&mut self, expr: &ExprBreak) -> syn::Result<Node> {
        let index = self.target(&expr.label, expr, true)?;
        let target = &mut self.targets[index];
        target.left = true;
        let id = target.id;
        let wanted = match &target.kind {
            TargetKind::Endless(ty) | TargetKind::Block(ty) => Some(ty.clone()),
            TargetKind::Loop => None,
        };
        let value = match (&expr.expr, wanted) {
            (Some(value), None) => {
                return refuse(
                    place(value),
                    "only `loop` and labeled blocks can break with a value: assign it to a `let mut` declared before \
                     the loop",
                );
            }
            (Some(value), Some(ty)) => {
                let value = self.value(value);
                Some(Box::new(self.coerce(value, &ty)))
            }
            (None, Some(ty)) => {
                let nothing = empty(place(expr));
                self.coerce(nothing, &ty);
                None
            }
            (None, None) => None,
        };
        let kind = ExprKind::Break(id, value);
        Ok(Node { kind, ty: Ty::Never, diverges: true, place: place(expr) })
    }

    /// Lowers `continue`.
    pub fn continue_loop(&mut self, expr: &ExprContinue) -> syn::Result<Node> {
        let index = self.target(&expr.label, expr, false)?;
        let kind = ExprKind::Continue(self.targets[index].next);
        Ok(Node { kind, ty: Ty::Never, diverges: true, place: place(expr) })
    }

    /// Returns the target of a `break` or `continue`: the innermost loop, or the one with the label.
    fn target(
        &self,
        label: &Option<Lifetime>,
        tokens: &impl quote::ToTokens,
        breaks: bool,
    ) -> syn::Result<usize> {
        let Some(label) = label else {
            let innermost =
                self.targets.iter().rposition(|t| !matches!(t.kind, TargetKind::Block(_)));
            return innermost
                .ok_or_else(|| super::errors::error(place(tokens), "this is outside of a loop"));
        };
        let name = label.ident.to_string();
        let found = self.targets.iter().rposition(|target| target.label.as_deref() == Some(&*name));
        match found {
            Some(index) if !breaks && matches!(self.targets[index].kind, TargetKind::Block(_)) => {
                refuse(place(label), "`continue` cannot target a labeled block")
            }
            Some(index) => Ok(index),
            None => {
                let meant =
                    did_you_mean(&name, self.targets.iter().filter_map(|t| t.label.as_deref()));
                refuse(at(label.ident.span()), format!("unknown label `'{name}`{meant}"))
            }
        }
    }
}

/// The range of a `for`.
pub struct LoopRange {
    pub start: Node,
    pub end: Node,
    pub inclusive: bool,
    pub step: Option<Node>,
    pub reversed: bool,
    /// The statements before the loop.
    pub before: Vec<Statement<Ty>>,
}

impl LoopRange {
    /// Returns whether the evaluation of the range has no side effects.
    pub fn is_pure(&self) -> bool {
        let mut ends = [&self.start, &self.end].into_iter().chain(&self.step);
        self.before.is_empty() && ends.all(is_pure)
    }

    /// Returns the loop over this range.
    pub fn into_loop(self, label: LabelId, local: LocalId, body: Block<Ty>, extent: Place) -> Node {
        let Self { start, end, inclusive, step, reversed, before } = self;
        let repeated = For { label, local, start, end, inclusive, step, reversed, body };
        after(before, NodeBuilder(extent).node(ExprKind::For(Box::new(repeated)), &Ty::UNIT))
    }
}
