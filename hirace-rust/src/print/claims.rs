//! Assertions and `unreachable!()`.
//!
//! Each becomes a block that computes the claimed condition without using it, in lines that are not part of the WGSL
//! that users receive ([`EntryKind::Check`]). A condition with side effects is therefore an error.

use super::body::Body;
use super::text::Text;
use crate::builtins::{Builtin, Parameter};
use crate::ir::claims::Claim;
use crate::map::EntryKind;
use crate::tree::{Binary, Expr, ExprKind, FunctionId, Module, PassMode, Place, Scalar, Type};
use crate::walk;
use rustc_hash::FxHashSet;

impl Body<'_> {
    /// Prints `assert!(condition)`, or without a condition `unreachable!()`, which is located at `place`.
    pub(super) fn claim(&mut self, claim: Claim, condition: Option<&Expr>, place: Place) {
        if let Some(condition) = condition
            && has_side_effects(self.scope.module, condition)
        {
            let message = "an assertion cannot have side effects, because the WGSL output contains no assertions: \
                           move them to a statement before it";
            return self.error(condition.place, message);
        }
        let start = self.lines.next(self.depth);
        self.line("{");
        let (lines, ()) = self.nested(|body| {
            let at = condition.map_or(place, |condition| condition.place);
            let claimed = match condition {
                Some(condition) => body.claimed(condition),
                None => {
                    let reached = body.variable("reached", "bool", &Text::from("true"));
                    Text::from(format!("{reached} == false"))
                }
            };
            let claimed = claimed.marked(at, EntryKind::Claimed(claim));
            body.line(Text::from("_ = ").text(&claimed).str(";"));
        });
        self.lines.nest(&lines);
        self.line("}");
        self.lines.mark_as(start, place, EntryKind::Check);
    }

    /// Returns the claimed condition as a comparison of two variables, so that it is computed and its operands can be
    /// reported.
    fn claimed(&mut self, condition: &Expr) -> Text {
        let compared = match &condition.kind {
            ExprKind::Builtin(_, arguments, _) if condition.ty == BOOL => arguments.first(),
            _ => Some(condition),
        };
        match compared.map(|compared| &compared.kind) {
            Some(ExprKind::Binary(op, left, right))
                if is_comparison(*op)
                    && left.ty == right.ty
                    && matches!(left.ty, Type::Scalar(_) | Type::Vector(..)) =>
            {
                let pieces = self.operands(&[left, right]);
                let ty = self.scope.ty(&left.ty);
                let mut sides = pieces.iter().zip(["left", "right"]);
                let mut side = || {
                    let (piece, name) = sides.next()?;
                    Some(self.variable(name, &ty, &piece.text))
                };
                let (left, right) = (side().unwrap_or_default(), side().unwrap_or_default());
                let (symbol, _) = super::expr::operator(*op, false);
                Text::from(format!("{left} {symbol} {right}"))
            }
            _ => {
                let piece = self.value(condition);
                let holds = self.variable("holds", "bool", &piece.text);
                Text::from(format!("{holds} == true"))
            }
        }
    }

    /// Declares a variable with this value. A compiler does not evaluate a variable in advance as it does a constant.
    fn variable(&mut self, name: &str, ty: &str, value: &Text) -> String {
        let name = self.fresh(name);
        self.line(Text::from(format!("var {name}: {ty} = ")).text(value).str(";"));
        name
    }
}

const BOOL: Type = Type::Scalar(Scalar::Bool);

fn is_comparison(op: Binary) -> bool {
    use Binary::*;
    matches!(op, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
}

/// Returns whether evaluating a condition has effects that later code or another invocation can observe.
fn has_side_effects(module: &Module, condition: &Expr) -> bool {
    let leaves_or_writes = match &condition.kind {
        ExprKind::Assign(..)
        | ExprKind::AssignBinary(..)
        | ExprKind::Return(_)
        | ExprKind::Break(..)
        | ExprKind::Continue(_) => true,
        ExprKind::Call(id, _) => call_acts(module, *id, &mut FxHashSet::default()),
        ExprKind::Builtin(builtin, ..) => builtin_acts(builtin),
        _ => false,
    };
    let mut acts_inside = leaves_or_writes;
    walk::children(condition, &mut |inner| {
        acts_inside = acts_inside || has_side_effects(module, inner)
    });
    acts_inside
}

/// Returns whether a call of a helper has side effects.
fn call_acts(module: &Module, id: FunctionId, seen: &mut FxHashSet<FunctionId>) -> bool {
    let Some(callee) = module.functions.get(id.0) else { return false };
    if callee.parameters.iter().any(|parameter| parameter.passed == PassMode::Mutable) {
        return true;
    }
    if !seen.insert(id) {
        return false;
    }
    let mut found = false;
    walk::block_children(&callee.body, &mut |inner| {
        found = found || helper_acts(module, inner, seen);
    });
    found
}

/// Returns whether an expression in a helper has side effects. Changes to the helper's own locals are not side
/// effects.
fn helper_acts(module: &Module, expr: &Expr, seen: &mut FxHashSet<FunctionId>) -> bool {
    let mut found = match &expr.kind {
        ExprKind::Assign(place, _) | ExprKind::AssignBinary(_, place, _) => is_global(place),
        ExprKind::Call(id, _) => call_acts(module, *id, seen),
        ExprKind::Builtin(builtin, ..) => builtin_acts(builtin),
        _ => false,
    };
    walk::children(expr, &mut |inner| found = found || helper_acts(module, inner, seen));
    found
}

/// Returns whether a WGSL built-in function has side effects.
fn builtin_acts(builtin: &Builtin) -> bool {
    let touches = builtin.parameters.contains(&Parameter::AtomicPlace);
    touches && !builtin.name.ends_with("load")
        || builtin.result == Parameter::Unit
        || ["subgroup", "quad", "workgroup"].iter().any(|of| builtin.name.starts_with(of))
}

fn is_global(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Index(base, _)
        | ExprKind::Member(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::Plain(base) => is_global(base),
        ExprKind::Global(_) => true,
        _ => false,
    }
}
