//! Goes through trees.

use super::tree::{Arm, Block, Expr, ExprKind, Statement};

/// Calls `see` with every expression directly in `expr`, in no particular order.
pub fn children<'e>(expr: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
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
        ExprKind::Block(_, block) | ExprKind::Loop(_, block) => block_children(block, see),
        ExprKind::If(condition, then, otherwise) => {
            see(condition);
            block_children(then, see);
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
            block_children(block, see);
        }
        ExprKind::For(inner) => {
            see(&inner.start);
            see(&inner.end);
            if let Some(step) = &inner.step {
                see(step);
            }
            block_children(&inner.body, see);
        }
    }
}

fn of_arm<'e>(arm: &'e Arm, see: &mut dyn FnMut(&'e Expr)) {
    if let Some(guard) = &arm.guard {
        see(guard);
    }
    see(&arm.body);
}

/// Likewise with those directly in a block.
pub fn block_children<'e>(block: &'e Block, see: &mut dyn FnMut(&'e Expr)) {
    for statement in &block.statements {
        match statement {
            Statement::Let(_, value, _) => value.iter().for_each(&mut *see),
            Statement::Expr(expr) => see(expr),
        }
    }
    block.value.iter().for_each(|value| see(value));
}

/// As [`children`], to change them.
pub fn children_mut(expr: &mut Expr, see: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
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
            list.iter_mut().for_each(see);
        }
        ExprKind::Block(_, block) | ExprKind::Loop(_, block) => block_children_mut(block, see),
        ExprKind::If(condition, then, otherwise) => {
            see(condition);
            block_children_mut(then, see);
            if let Some(otherwise) = otherwise {
                see(otherwise);
            }
        }
        ExprKind::Match(subject, arms) => {
            see(subject);
            arms.iter_mut().for_each(|arm| of_arm_mut(arm, see));
        }
        ExprKind::While(_, condition, block) => {
            see(condition);
            block_children_mut(block, see);
        }
        ExprKind::For(inner) => {
            see(&mut inner.start);
            see(&mut inner.end);
            if let Some(step) = &mut inner.step {
                see(step);
            }
            block_children_mut(&mut inner.body, see);
        }
    }
}

fn of_arm_mut(arm: &mut Arm, see: &mut dyn FnMut(&mut Expr)) {
    if let Some(guard) = &mut arm.guard {
        see(guard);
    }
    see(&mut arm.body);
}

/// As [`block_children`], to change them.
pub fn block_children_mut(block: &mut Block, see: &mut dyn FnMut(&mut Expr)) {
    for statement in &mut block.statements {
        match statement {
            Statement::Let(_, value, _) => value.iter_mut().for_each(&mut *see),
            Statement::Expr(expr) => see(expr),
        }
    }
    block.value.iter_mut().for_each(|value| see(value));
}
