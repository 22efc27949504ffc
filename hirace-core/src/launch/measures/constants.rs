//! Constants, and the results of operators on constants.

use super::value::{Scalar, ScalarOrigin, Value};
use naga::{BinaryOperator, Expression, Handle, Literal, Module};

/// Returns what is known about a literal.
pub(super) fn constant(literal: Literal) -> Scalar {
    let value = match literal {
        Literal::U32(value) => Some(i64::from(value)),
        Literal::I32(value) => Some(i64::from(value)),
        Literal::I64(value) | Literal::AbstractInt(value) => Some(value),
        Literal::U64(value) => i64::try_from(value).ok(),
        _ => None,
    };
    value.map_or(Scalar::OTHER, |value| Scalar::is(ScalarOrigin::Constant(value)))
}

/// Returns what is known about an expression that is a constant of the module, or a part of a constant.
pub(super) fn global_constant(module: &Module, expression: Handle<Expression>) -> Value {
    match module.global_expressions[expression] {
        Expression::Literal(literal) => Value::splat(constant(literal)),
        Expression::Constant(inner) => global_constant(module, module.constants[inner].init),
        Expression::ZeroValue(_) => Value::splat(Scalar::is(ScalarOrigin::Constant(0))),
        Expression::Splat { value, .. } => global_constant(module, value),
        Expression::Compose { ref components, .. } if components.len() <= 4 => {
            let part = |i: usize| match components.get(i) {
                Some(&part) => global_constant(module, part).components()[0],
                None => Scalar::OTHER,
            };
            Value::Components([0, 1, 2, 3].map(part))
        }
        _ => Value::UNKNOWN,
    }
}

/// Returns the operator with its operands exchanged. Operators that depend on the order are replaced by one that is ignored.
pub(super) fn mirror(op: BinaryOperator) -> BinaryOperator {
    use BinaryOperator as Op;
    match op {
        // `n / id` and `n << id` say nothing about the measure of `id`.
        Op::Divide | Op::Modulo | Op::Subtract | Op::ShiftLeft | Op::ShiftRight => Op::LogicalAnd,
        other => other,
    }
}

/// Returns the operator's result on integers, if it has one.
pub(super) fn fold(op: BinaryOperator, x: i64, y: i64) -> Option<i64> {
    match op {
        BinaryOperator::Add => x.checked_add(y),
        BinaryOperator::Subtract => x.checked_sub(y),
        BinaryOperator::Multiply => x.checked_mul(y),
        BinaryOperator::Divide => x.checked_div(y),
        BinaryOperator::Modulo => x.checked_rem(y),
        _ => None,
    }
}
