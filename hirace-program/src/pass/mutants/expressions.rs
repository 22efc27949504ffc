//! Comparison of expressions and statements without their operands.

use super::compare::Modules;
use crate::ir::operands;
use crate::ir::walk;
use naga::{Expression, Handle, MathFunction, Statement};

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

/// Returns whether two expressions are the same, provided that their operands are. Function arguments are compared elsewhere.
pub fn same_but_operands(modules: &Modules<'_>, a: &Expression, b: &Expression) -> bool {
    use Expression as E;
    match (a, b) {
        (E::Literal(a), E::Literal(b)) => a == b,
        (E::Constant(a), E::Constant(b)) => modules.same_constant(*a, *b),
        (E::ZeroValue(a), E::ZeroValue(b)) => modules.same_type(*a, *b),
        (E::Compose { ty: a, components: of_a }, E::Compose { ty: b, components: of_b }) => {
            of_a.len() == of_b.len() && modules.same_type(*a, *b)
        }
        (E::Access { .. }, E::Access { .. })
        | (E::Load { .. }, E::Load { .. })
        | (E::Select { .. }, E::Select { .. })
        | (E::ArrayLength(_), E::ArrayLength(_)) => true,
        (E::AccessIndex { index: a, .. }, E::AccessIndex { index: b, .. }) => a == b,
        (E::Splat { size: a, .. }, E::Splat { size: b, .. }) => a == b,
        (E::Swizzle { size: a, pattern: in_a, .. }, E::Swizzle { size: b, pattern: in_b, .. }) => {
            a == b && in_a == in_b
        }
        (E::FunctionArgument(a), E::FunctionArgument(b)) => a == b,
        (E::GlobalVariable(a), E::GlobalVariable(b)) => a.index() == b.index(),
        (E::LocalVariable(a), E::LocalVariable(b)) => a.index() == b.index(),
        (E::CallResult(a), E::CallResult(b)) => a.index() == b.index(),
        (E::Unary { op: a, .. }, E::Unary { op: b, .. }) => a == b,
        (E::Binary { op: a, .. }, E::Binary { op: b, .. }) => a == b,
        (E::Relational { fun: a, .. }, E::Relational { fun: b, .. }) => a == b,
        (E::Math { fun: a, .. }, E::Math { fun: b, .. }) => same_function(*a, *b),
        (E::As { kind: a, convert: to_a, .. }, E::As { kind: b, convert: to_b, .. }) => {
            (a, to_a) == (b, to_b)
        }
        (
            E::AtomicResult { ty: a, comparison: in_a },
            E::AtomicResult { ty: b, comparison: in_b },
        ) => in_a == in_b && modules.same_type(*a, *b),
        (E::WorkGroupUniformLoadResult { ty: a }, E::WorkGroupUniformLoadResult { ty: b })
        | (E::SubgroupOperationResult { ty: a }, E::SubgroupOperationResult { ty: b }) => {
            modules.same_type(*a, *b)
        }
        _ => {
            std::mem::discriminant(a) == std::mem::discriminant(b)
                && shown_expression(a) == shown_expression(b)
        }
    }
}

fn same_function(a: MathFunction, b: MathFunction) -> bool {
    a == b
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

/// Returns the debug text of an expression with its operands made equal.
fn shown_expression(expression: &Expression) -> String {
    let mut copy = expression.clone();
    let mut first = None;
    operands::of_expression(&mut copy, &mut |operand| *operand = *first.get_or_insert(*operand));
    // The handle itself is not significant.
    let text = format!("{copy:?}");
    match first {
        Some(first) => text.replace(&format!("{first:?}"), "_"),
        None => text,
    }
}

/// Returns the debug text of a statement with its operands made equal.
fn shown(statement: &Statement) -> String {
    let mut copy = operands::without_blocks(statement);
    let mut first = None;
    operands::of_statement(&mut copy, &mut |operand| *operand = *first.get_or_insert(*operand));
    let text = format!("{copy:?}");
    match first {
        Some(first) => text.replace(&format!("{first:?}"), "_"),
        None => text,
    }
}
