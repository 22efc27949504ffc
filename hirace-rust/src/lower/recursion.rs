//! Detection of recursion, which WGSL does not have.

use super::super::tree::{Expr, ExprKind, Function, FunctionId, Module, Place};
use super::super::walk;
use super::errors::{Errors, error};

/// Rejects functions that call themselves, directly or through others.
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
                "WGSL has no recursion ({circle}): write a loop, with a stack in an array if necessary"
            );
            errors.push(error(*place, message));
        }
        visit(module, calls, *callee, state, path, errors);
    }
    path.pop();
    state[id.0] = Visit::Done;
}

/// Returns the functions that a function calls, with the places of the calls.
fn calls(function: &Function) -> Vec<(FunctionId, Place)> {
    let mut found = Vec::new();
    walk::block_children(&function.body, &mut |expr| collect(expr, &mut found));
    found
}

fn collect(expr: &Expr, found: &mut Vec<(FunctionId, Place)>) {
    if let ExprKind::Call(id, _) = &expr.kind {
        found.push((*id, expr.place));
    }
    walk::children(expr, &mut |child| collect(child, found));
}
