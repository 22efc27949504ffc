//! Liveness of the expressions of a function.

use crate::ir::{operands, walk};
use naga::{Function, Statement};

/// Returns whether each expression contributes to a result: those that statements use, and their operands, transitively.
pub(super) fn live_expressions(function: &Function) -> Vec<bool> {
    let mut live = vec![false; function.expressions.len()];
    walk::statements(&function.body, &mut |_, statement, _| {
        if !matches!(statement, Statement::Emit(_)) {
            operands::of_statement(&mut operands::without_blocks(statement), &mut |operand| {
                live[operand.index()] = true;
            });
        }
    });
    for (_, variable) in function.local_variables.iter() {
        variable.init.into_iter().for_each(|init| live[init.index()] = true);
    }
    // The operands of an expression have smaller handles.
    let all: Vec<_> = function.expressions.iter().collect();
    for (handle, expression) in all.into_iter().rev() {
        if live[handle.index()] {
            walk::operands(expression, &mut |operand| live[operand.index()] = true);
        }
    }
    live
}
