//! Recursion, which WGSL has none of.

use super::super::tree::{Block, Expr, ExprKind, Function, FunctionId, Module, Place, Statement};
use super::errors::{Errors, error};

/// Refuses functions that call themselves, directly or through others.
pub fn check(module: &Module, errors: &mut Errors) {
    let calls: Vec<Vec<(FunctionId, Place)>> = module.functions.iter().map(calls).collect();
    let mut state = vec![Visit::New; calls.len()];
    for id in 0..calls.len() {
        visit(module, &calls, FunctionId(id), &mut state, &mut Vec::new(), errors);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

fn visit(
    module: &Module,
    calls: &[Vec<(FunctionId, Place)>],
    id: FunctionId,
    state: &mut [Visit],
    path: &mut Vec<FunctionId>,
    errors: &mut Errors,
) {
    if state[id.0] != Visit::New {
        return;
    }
    state[id.0] = Visit::Open;
    path.push(id);
    for (callee, place) in &calls[id.0] {
        if state[callee.0] == Visit::Open {
            let start = path.iter().position(|open| open == callee).unwrap_or(0);
            let names = path[start..].iter().chain([callee]);
            let names: Vec<&str> =
                names.map(|id| module.functions[id.0].name.text.as_str()).collect();
            let circle = names.join(" → ");
            let message = format!(
                "WGSL has no recursion ({circle}): write a loop, with a stack in an array if it needs one"
            );
            errors.push(error(*place, message));
        }
        visit(module, calls, *callee, state, path, errors);
    }
    path.pop();
    state[id.0] = Visit::Done;
}

/// The functions that a function calls, and where.
fn calls(function: &Function) -> Vec<(FunctionId, Place)> {
    let mut found = Vec::new();
    in_block(&function.body, &mut found);
    found
}

fn in_block(block: &Block, found: &mut Vec<(FunctionId, Place)>) {
    for statement in &block.statements {
        match statement {
            Statement::Let(_, Some(value), _) | Statement::Expr(value) => in_expr(value, found),
            Statement::Let(_, None, _) => {}
        }
    }
    block.value.iter().for_each(|value| in_expr(value, found));
}

fn in_expr(expr: &Expr, found: &mut Vec<(FunctionId, Place)>) {
    if let ExprKind::Call(id, _) = &expr.kind {
        found.push((*id, expr.place));
    }
    match &expr.kind {
        ExprKind::Literal(_)
        | ExprKind::Const(_)
        | ExprKind::Verbatim(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Continue(_)
        | ExprKind::Break(_, None)
        | ExprKind::Return(None) => {}
        ExprKind::Member(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Convert(a)
        | ExprKind::Bitcast(a)
        | ExprKind::Repeat(a)
        | ExprKind::Plain(a)
        | ExprKind::Break(_, Some(a))
        | ExprKind::Return(Some(a)) => in_expr(a, found),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignBinary(_, a, b) => {
            [a, b].into_iter().for_each(|part| in_expr(part, found))
        }
        ExprKind::Construct(parts) | ExprKind::Call(_, parts) | ExprKind::Builtin(_, parts) => {
            parts.iter().for_each(|part| in_expr(part, found));
        }
        ExprKind::Block(_, block) | ExprKind::Loop(_, block) => in_block(block, found),
        ExprKind::If(condition, then, otherwise) => {
            in_expr(condition, found);
            in_block(then, found);
            otherwise.iter().for_each(|otherwise| in_expr(otherwise, found));
        }
        ExprKind::Match(value, arms) => {
            in_expr(value, found);
            for arm in arms {
                arm.guard.iter().for_each(|guard| in_expr(guard, found));
                in_expr(&arm.body, found);
            }
        }
        ExprKind::While(_, condition, body) => {
            in_expr(condition, found);
            in_block(body, found);
        }
        ExprKind::For(turns) => {
            in_expr(&turns.start, found);
            in_expr(&turns.end, found);
            turns.step.iter().for_each(|step| in_expr(step, found));
            in_block(&turns.body, found);
        }
    }
}
