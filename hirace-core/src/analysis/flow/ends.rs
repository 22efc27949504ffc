//! What decides whether a loop is left.

use super::Marks;
use naga::{Block, Expression, Handle, Statement};

/// What the conditions under which the body of a loop leaves it hang on, where `by` says it of one.
pub(super) fn of(body: &Block, by: &impl Fn(Handle<Expression>) -> Marks) -> Marks {
    within(body, true, by)
}

/// Likewise, of a block in which a `break` is one of the loop's or is not.
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

/// Whether a block can leave the loop.
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
