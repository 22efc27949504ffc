//! Comparison of expressions and statements without their operands.

use crate::ir::operands;
use crate::ir::walk;
use naga::{Expression, Handle, Statement};

/// Returns the operands of an expression, in order.
pub fn operands(expression: &Expression) -> Vec<Handle<Expression>> {
    let mut found = Vec::new();
    walk::operands(expression, &mut |operand| found.push(operand));
    found
}

/// Returns the expressions that a statement itself uses or defines, in order.
pub fn of_statement(statement: &Statement) -> Vec<Handle<Expression>> {
    let mut found = Vec::new();
    let mut copy = operands::without_blocks(statement);
    operands::of_statement(&mut copy, &mut |operand| found.push(*operand));
    found
}

/// Returns whether a statement defines the expression's value.
pub fn is_result(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::RayQueryProceedResult
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
    )
}

/// Returns whether the value depends on when the expression is evaluated.
pub fn reads(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Load { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageSample { .. }
            | Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryGetIntersection { .. }
            | Expression::CooperativeLoad { .. }
    )
}

/// Returns whether two statements are the same, provided that their operands and nested blocks are.
pub fn same_statement(a: &Statement, b: &Statement) -> bool {
    use Statement as S;
    match (a, b) {
        (S::Block(_), S::Block(_))
        | (S::If { .. }, S::If { .. })
        | (S::Break, S::Break)
        | (S::Continue, S::Continue)
        | (S::Kill, S::Kill)
        | (S::Store { .. }, S::Store { .. }) => true,
        (S::Switch { cases: a, .. }, S::Switch { cases: b, .. }) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| (a.value, a.fall_through) == (b.value, b.fall_through))
        }
        (S::Loop { break_if: a, .. }, S::Loop { break_if: b, .. }) => a.is_some() == b.is_some(),
        (S::Return { value: a }, S::Return { value: b }) => a.is_some() == b.is_some(),
        (S::ControlBarrier(a), S::ControlBarrier(b))
        | (S::MemoryBarrier(a), S::MemoryBarrier(b)) => a == b,
        (
            S::Call { function: a, arguments: of_a, result: to_a },
            S::Call { function: b, arguments: of_b, result: to_b },
        ) => a.index() == b.index() && of_a.len() == of_b.len() && to_a.is_some() == to_b.is_some(),
        _ => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
                && of_statement(a).len() == of_statement(b).len()
                && shown(a) == shown(b)
        }
    }
}

/// Returns the debug text of a statement with its operands made equal.
pub fn shown(statement: &Statement) -> String {
    let mut copy = operands::without_blocks(statement);
    let mut first = None;
    operands::of_statement(&mut copy, &mut |operand| *operand = *first.get_or_insert(*operand));
    let text = format!("{copy:?}");
    match first {
        Some(first) => text.replace(&format!("{first:?}"), "_"),
        None => text,
    }
}
