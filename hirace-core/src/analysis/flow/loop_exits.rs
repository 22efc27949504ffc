//! Finds what the exit conditions of a loop depend on.

use super::Marks;
use naga::{Block, Expression, Handle, Statement};

/// Returns the marks of the conditions under which the body of a loop exits it; `condition_marks` gives the marks of a
/// condition.
pub(super) fn exit_marks(
    body: &Block,
    condition_marks: &impl Fn(Handle<Expression>) -> Marks,
) -> Marks {
    block_exit_marks(body, true, condition_marks)
}

/// Returns the exit marks of a block within the loop; `breaks` tells whether a `break` in the block exits the loop.
fn block_exit_marks(
    block: &Block,
    breaks: bool,
    condition_marks: &impl Fn(Handle<Expression>) -> Marks,
) -> Marks {
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
            && inner.iter().any(|block| can_exit(block, breaks))
        {
            marks |= condition_marks(condition);
        }
        for block in inner {
            marks |= block_exit_marks(block, breaks, condition_marks);
        }
    }
    marks
}

/// Returns whether a block can exit the loop; `breaks` tells whether a `break` in the block does.
fn can_exit(block: &Block, breaks: bool) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Return { .. } | Statement::Kill => true,
        Statement::Break => breaks,
        other => {
            let breaks =
                breaks && !matches!(other, Statement::Switch { .. } | Statement::Loop { .. });
            crate::ir::walk::children(other).into_iter().any(|block| can_exit(block, breaks))
        }
    })
}
