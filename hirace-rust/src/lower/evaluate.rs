//! Evaluation of constant expressions to integers and `bool`, for array lengths and patterns.

use super::super::tree::{
    Binary, ConstKind, Count, Expr, ExprKind, Literal, Module, Scalar, Type, Unary,
};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Bool(bool),
    /// An integer in the range of its type.
    Int(i128),
}

/// Returns the value of an expression, or `None` if it is not known before the program runs, is not an integer or a
/// `bool`, or overflows.
pub fn evaluate(module: &Module, expr: &Expr) -> Option<Value> {
    let value = match &expr.kind {
        ExprKind::Literal(Literal::Bool(value)) => Value::Bool(*value),
        ExprKind::Literal(Literal::Int(value)) => Value::Int(*value),
        ExprKind::Const(id) => match &module.consts[id.0].kind {
            ConstKind::Const(value) => evaluate(module, value)?,
            ConstKind::Parameter | ConstKind::Override(..) => return None,
        },
        ExprKind::Verbatim(text) => Value::Int(number(text)?),
        ExprKind::Convert(inner) => match (evaluate(module, inner)?, &expr.ty) {
            (Value::Bool(value), Type::Scalar(to)) if to.is_integer() => Value::Int(value.into()),
            (Value::Int(value), Type::Scalar(to)) => Value::Int(wrapped(value, *to)?),
            _ => return None,
        },
        ExprKind::Unary(operator, inner) => match (operator, evaluate(module, inner)?) {
            (Unary::Negate, Value::Int(value)) => Value::Int(value.checked_neg()?),
            (Unary::Not, Value::Bool(value)) => Value::Bool(!value),
            (Unary::Complement, Value::Int(value)) => match expr.ty {
                Type::Scalar(scalar) => Value::Int(wrapped(!value, scalar)?),
                _ => return None,
            },
            _ => return None,
        },
        ExprKind::Binary(operator, left, right) => {
            binary(*operator, evaluate(module, left)?, evaluate(module, right)?, bits_of(&left.ty))?
        }
        ExprKind::Block(None, block) if block.statements.is_empty() => {
            evaluate(module, block.value.as_deref()?)?
        }
        _ => return None,
    };
    in_range(value, &expr.ty).then_some(value)
}

/// Returns the message for an index that is known to be out of bounds.
pub fn out_of_bounds(module: &Module, base: &Type, index: &Expr) -> Option<String> {
    let length = match base {
        Type::Array(_, Count::Literal(length)) => i128::from(*length),
        Type::Vector(size, _) => i128::from(*size),
        Type::Matrix { columns, .. } => i128::from(*columns),
        _ => i128::MAX,
    };
    match evaluate(module, end_of(index))? {
        Value::Int(index) if index < 0 => {
            Some(format!("index {index} is out of bounds: the first element is 0"))
        }
        Value::Int(index) if index >= length => {
            let last = length - 1;
            Some(format!("index {index} is out of bounds: the last element is {last}"))
        }
        _ => None,
    }
}

/// Returns the value of a block, ignoring its statements.
fn end_of(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Block(None, block) => block.value.as_deref().map_or(expr, end_of),
        _ => expr,
    }
}

fn in_range(value: Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Int(value), Type::Scalar(scalar)) => {
            scalar.range().is_some_and(|(least, greatest)| (least..=greatest).contains(&value))
        }
        (Value::Int(_), _) => false,
        (Value::Bool(_), _) => true,
    }
}

/// Returns the value of `value as T` for an integer, or `None` if `T` is not an integer type.
pub fn wrapped(value: i128, to: Scalar) -> Option<i128> {
    let (least, greatest) = to.range()?;
    // The size of a range is a power of two, so wrapping at 2^128 does not change the result.
    Some(value.wrapping_sub(least).rem_euclid(greatest - least + 1) + least)
}

/// Returns whether the result of an operator is in the range of its operands' type.
pub fn fits(operator: Binary, left: Value, right: Value, ty: &Type) -> bool {
    binary(operator, left, right, bits_of(ty)).is_some_and(|value| in_range(value, ty))
}

/// Parses an integer as written in WGSL: `7u`, `-7i`, `i32(-7)`.
fn number(text: &str) -> Option<i128> {
    let inner = text.strip_prefix("i32(").and_then(|rest| rest.strip_suffix(')'));
    let digits = inner.unwrap_or(text);
    digits.strip_suffix(['i', 'u']).or(inner)?.parse().ok()
}

/// Returns the number of bits of a type's scalars.
pub fn bits_of(ty: &Type) -> u32 {
    match ty {
        Type::Scalar(scalar) | Type::Vector(_, scalar) => scalar.bits(),
        _ => Scalar::U32.bits(),
    }
}

/// Applies an operator to two values. `bits` is the width of the left one.
pub fn binary(operator: Binary, left: Value, right: Value, bits: u32) -> Option<Value> {
    use Binary::*;
    Some(match (operator, left, right) {
        (Equal, a, b) => Value::Bool(a == b),
        (NotEqual, a, b) => Value::Bool(a != b),
        (And | AndThen, Value::Bool(a), Value::Bool(b)) => Value::Bool(a && b),
        (Or | OrElse, Value::Bool(a), Value::Bool(b)) => Value::Bool(a || b),
        (Less, Value::Int(a), Value::Int(b)) => Value::Bool(a < b),
        (LessOrEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a <= b),
        (Greater, Value::Int(a), Value::Int(b)) => Value::Bool(a > b),
        (GreaterOrEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a >= b),
        (operator, Value::Int(a), Value::Int(b)) => Value::Int(match operator {
            Add => a.checked_add(b)?,
            Subtract => a.checked_sub(b)?,
            Multiply => a.checked_mul(b)?,
            Divide => a.checked_div(b)?,
            Remainder => a.checked_rem(b)?,
            And => a & b,
            Or => a | b,
            Xor => a ^ b,
            ShiftLeft => a.checked_mul(1 << u32::try_from(b).ok().filter(|b| *b < bits)?)?,
            ShiftRight => a >> u32::try_from(b).ok().filter(|b| *b < bits)?,
            _ => return None,
        }),
        _ => return None,
    })
}
