//! Looks for what leaves a part of the tree.

use crate::front::rust::tree::{Arm, Block, Expr, ExprKind, LabelId, Statement};

/// Calls `see` with every expression directly in `expr`, in no particular order.
pub(super) fn children<'e>(expr: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Literal(_)
        | ExprKind::Const(_)
        | ExprKind::Verbatim(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Continue(_)
        | ExprKind::Break(_, None)
        | ExprKind::Return(None) => {}
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignBinary(_, a, b) => {
            see(a);
            see(b);
        }
        ExprKind::Member(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::Bitcast(a)
        | ExprKind::Repeat(a)
        | ExprKind::Plain(a)
        | ExprKind::Break(_, Some(a))
        | ExprKind::Return(Some(a)) => see(a),
        ExprKind::Construct(list) | ExprKind::Call(_, list) | ExprKind::Builtin(_, list) => {
            list.iter().for_each(see);
        }
        ExprKind::Block(_, block) | ExprKind::Loop(_, block) => of_block(block, see),
        ExprKind::If(condition, then, otherwise) => {
            see(condition);
            of_block(then, see);
            if let Some(otherwise) = otherwise {
                see(otherwise);
            }
        }
        ExprKind::Match(subject, arms) => {
            see(subject);
            arms.iter().for_each(|arm| of_arm(arm, see));
        }
        ExprKind::While(_, condition, block) => {
            see(condition);
            of_block(block, see);
        }
        ExprKind::For(inner) => {
            see(&inner.start);
            see(&inner.end);
            if let Some(step) = &inner.step {
                see(step);
            }
            of_block(&inner.body, see);
        }
    }
}

fn of_arm<'e>(arm: &'e Arm, see: &mut dyn FnMut(&'e Expr)) {
    if let Some(guard) = &arm.guard {
        see(guard);
    }
    see(&arm.body);
}

fn of_block<'e>(block: &'e Block, see: &mut dyn FnMut(&'e Expr)) {
    for statement in &block.statements {
        match statement {
            Statement::Let(_, value, _) => value.iter().for_each(&mut *see),
            Statement::Expr(expr) => see(expr),
        }
    }
    block.value.iter().for_each(|value| see(value));
}

/// Whether anything in `block` is a `break` of `label`.
pub(super) fn leaves(block: &Block, label: LabelId) -> bool {
    let mut found = false;
    of_block(block, &mut |expr| found |= breaks(expr, &|to| to == label));
    found
}

/// Whether anything in `expr` is a `break` of what is around it.
pub(super) fn breaks_out(expr: &Expr) -> bool {
    let mut own = Vec::new();
    labels(expr, &mut own);
    breaks(expr, &|to| !own.contains(&to))
}

fn breaks(expr: &Expr, wanted: &dyn Fn(LabelId) -> bool) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Break(label, _) if wanted(label));
    children(expr, &mut |child| found |= breaks(child, wanted));
    found
}

fn labels(expr: &Expr, found: &mut Vec<LabelId>) {
    match &expr.kind {
        ExprKind::Block(Some(label), _) | ExprKind::Loop(label, _) | ExprKind::While(label, ..) => {
            found.push(*label)
        }
        ExprKind::For(inner) => found.push(inner.label),
        _ => {}
    }
    children(expr, &mut |child| labels(child, found));
}
