//! Finds what the exit conditions of a loop depend on.

use super::Marks;
use naga::{Block, Expression, Handle, Statement};

/// Returns the marks of the conditions under which the body of a loop exits it; `by` gives the marks of a condition.
pub(super) fn exit_marks(body: &Block, by: &impl Fn(Handle<Expression>) -> Marks) -> Marks {
    within(body, true, by)
}

/// Returns these marks for a block within the loop; `breaks` tells whether a `break` in the block exits the loop.
fn within(block: &Block, breaks: bool, by: &impl Fn(Handle<Expression>) -> Marks) -> Marks {
    let mut marks = Marks::NONE;
    for statement in block {
        let (condition, breaks) = match *statement {
            Statement::If { condition, .. } => (Some(condition), breaks),
            Statement::Switch { selector, .. } => (Some(selector), false),
            Statement::Loop { break_if, .. } => (break_if, false),
            _ => (None, breaks),
        };
        let inner = crate::ir::walk::children(statement);
        if let Some(condition) = condition
            && inner.iter().any(|block| leaves(block, breaks))
        {
            marks |= by(condition);
        }
        for block in inner {
            marks |= within(block, breaks, by);
        }
    }
    marks
}

/// Returns whether a block can exit the loop; `breaks` tells whether a `break` in the block does.
fn leaves(block: &Block, breaks: bool) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Return { .. } | Statement::Kill => true,
        Statement::Break => breaks,
        other => {
            let breaks =
                breaks && !matches!(other, Statement::Switch { .. } | Statement::Loop { .. });
            crate::ir::walk::children(other).into_iter().any(|block| leaves(block, breaks))
        }
    })
}
