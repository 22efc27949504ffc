//! Arithmetic on the values of constant expressions, by the rules of Rust: overflow is an error.

use super::{EvalResult, OVERFLOW, RUNNING, Value, unknown};
use crate::tree::{Binary, Place, Scalar, Type, Unary};

/// Returns the scalar type of a number or vector.
pub(super) fn scalar_of(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) | Type::Vector(_, scalar) => Some(*scalar),
        _ => None,
    }
}

/// Returns the number of bits of a type's scalars.
pub fn bits_of(ty: &Type) -> u32 {
    scalar_of(ty).unwrap_or(Scalar::U32).bits()
}

/// Parses an integer as written in WGSL: `7u`, `-7i`, `i32(-7)`.
pub(super) fn number(text: &str) -> Option<i128> {
    let inner = text.strip_prefix("i32(").and_then(|rest| rest.strip_suffix(')'));
    let digits = inner.unwrap_or(text);
    digits.strip_suffix(['i', 'u']).or(inner)?.parse().ok()
}

/// Returns the value of `value as T` for an integer, or `None` if `T` is not an integer type.
pub(super) fn wrap_value(value: i128, to: Scalar) -> Option<i128> {
    let (least, greatest) = to.range()?;
    // The size of a range is a power of two, so wrapping at 2^128 does not change the result.
    Some(value.wrapping_sub(least).rem_euclid(greatest - least + 1) + least)
}

pub(super) fn is_in_range(value: i128, scalar: Scalar) -> bool {
    scalar.range().is_some_and(|(least, greatest)| (least..=greatest).contains(&value))
}

fn in_range(value: Option<i128>, scalar: Option<Scalar>, place: Place) -> EvalResult {
    match value.zip(scalar) {
        Some((value, scalar)) if is_in_range(value, scalar) => Ok(Value::Int(value)),
        _ => unknown(place, OVERFLOW),
    }
}

pub(super) fn unary(operator: Unary, inner: Value, ty: &Type, place: Place) -> EvalResult {
    let scalar = scalar_of(ty);
    match (operator, inner) {
        (Unary::Negate, Value::Int(value)) => in_range(value.checked_neg(), scalar, place),
        (Unary::Negate, Value::Float(value)) => Ok(Value::Float(-value)),
        (Unary::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
        (Unary::Complement, Value::Int(value)) => {
            let all = scalar.and_then(|scalar| wrap_value(!value, scalar));
            in_range(all, scalar, place)
        }
        (operator, Value::Parts(parts)) => {
            let parts = parts.into_iter().map(|part| unary(operator, part, ty, place));
            Ok(Value::Parts(parts.collect::<EvalResult<_>>()?))
        }
        _ => unknown(place, RUNNING),
    }
}

pub(super) fn binary(
    operator: Binary,
    left: Value,
    right: Value,
    of: &Type,
    place: Place,
) -> EvalResult {
    use Binary::*;
    let scalar = scalar_of(of);
    let float = |value| Value::Float(scalar.map_or(value, |scalar| scalar.rounded(value)));
    match (left, right) {
        (Value::Float(a), Value::Float(b)) => Ok(match operator {
            Add => float(a + b),
            Subtract => float(a - b),
            Multiply => float(a * b),
            Divide => float(a / b),
            Remainder => float(a % b),
            Equal => Value::Bool(a == b),
            NotEqual => Value::Bool(a != b),
            Less => Value::Bool(a < b),
            LessOrEqual => Value::Bool(a <= b),
            Greater => Value::Bool(a > b),
            GreaterOrEqual => Value::Bool(a >= b),
            _ => return unknown(place, RUNNING),
        }),
        (Value::Int(a), Value::Int(b)) if operator == ShiftLeft => {
            let by = u32::try_from(b).ok().filter(|by| *by < bits_of(of));
            let all =
                by.zip(scalar).and_then(|(by, scalar)| wrap_value(a.wrapping_shl(by), scalar));
            in_range(all, scalar, place)
        }
        (left @ (Value::Int(_) | Value::Bool(_)), right @ (Value::Int(_) | Value::Bool(_))) => {
            match (operator, exact(operator, &left, &right, bits_of(of))) {
                (_, Some(Value::Int(value))) => in_range(Some(value), scalar, place),
                (_, Some(value)) => Ok(value),
                (Divide | Remainder, None) => unknown(place, "this operation divides by zero"),
                (_, None) => unknown(place, OVERFLOW),
            }
        }
        (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
            let each = a.into_iter().zip(b).map(|(a, b)| binary(operator, a, b, of, place));
            Ok(Value::Parts(each.collect::<EvalResult<_>>()?))
        }
        (Value::Parts(a), b) if matches!(of, Type::Vector(..)) => {
            let each = a.into_iter().map(|a| binary(operator, a, b.clone(), of, place));
            Ok(Value::Parts(each.collect::<EvalResult<_>>()?))
        }
        _ => unknown(place, RUNNING),
    }
}

/// Applies an operator to two integers or two `bool`. The result may be out of the range of the type. `bits` is the width of the
/// left one.
pub(super) fn exact(operator: Binary, left: &Value, right: &Value, bits: u32) -> Option<Value> {
    use Binary::*;
    Some(match (operator, left, right) {
        (Equal, a, b) => Value::Bool(a == b),
        (NotEqual, a, b) => Value::Bool(a != b),
        (And | AndThen, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a && *b),
        (Or | OrElse, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a || *b),
        (Less, Value::Int(a), Value::Int(b)) => Value::Bool(a < b),
        (LessOrEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a <= b),
        (Greater, Value::Int(a), Value::Int(b)) => Value::Bool(a > b),
        (GreaterOrEqual, Value::Int(a), Value::Int(b)) => Value::Bool(a >= b),
        (operator, Value::Int(a), &Value::Int(b)) => Value::Int(match operator {
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

pub(super) fn convert(value: Value, to: &Type, place: Place) -> EvalResult {
    let Some(scalar) = scalar_of(to) else { return unknown(place, RUNNING) };
    let integer = |value: i128| in_range(wrap_value(value, scalar), Some(scalar), place);
    match (value, scalar) {
        (Value::Parts(parts), _) => {
            let parts = parts.into_iter().map(|part| convert(part, &Type::Scalar(scalar), place));
            Ok(Value::Parts(parts.collect::<EvalResult<_>>()?))
        }
        (Value::Bool(value), Scalar::Bool) => Ok(Value::Bool(value)),
        (Value::Bool(value), Scalar::F32) => Ok(Value::Float(f32::from(u8::from(value)))),
        (Value::Bool(value), _) => integer(value.into()),
        (Value::Int(value), scalar) if scalar.is_float() => {
            Ok(Value::Float(scalar.rounded(value as f32)))
        }
        (Value::Int(value), _) => integer(value),
        (Value::Float(value), scalar) if scalar.is_float() => {
            Ok(Value::Float(scalar.rounded(value)))
        }
        (Value::Float(value), _) => match scalar.range() {
            // As in Rust: the nearest value of the target type.
            Some((least, greatest)) => integer((value as i128).clamp(least, greatest)),
            None => unknown(place, RUNNING),
        },
        _ => unknown(place, RUNNING),
    }
}

/// Evaluates integer functions that are common in constants.
pub(super) fn called(name: &str, arguments: &[Value], ty: Option<&Type>) -> Option<Value> {
    let scalar = ty.and_then(scalar_of)?;
    let cut = |value: i128| wrap_value(value, scalar).map(Value::Int);
    // The bits of a value, and the value rotated.
    let bits = |value: i128| wrap_value(value, scalar.with_sign(false)).map(|bits| bits as u64);
    let turned = |value: i128, by: i128| {
        let (value, width) = (bits(value)?, i128::from(scalar.bits()));
        let by = by.rem_euclid(width);
        cut(i128::from(value) << by | i128::from(value) >> (width - by))
    };
    Some(match (name, arguments) {
        ("wrapping_add", [Value::Int(a), Value::Int(b)]) => cut(a + b)?,
        ("wrapping_sub", [Value::Int(a), Value::Int(b)]) => cut(a - b)?,
        ("wrapping_mul", [Value::Int(a), Value::Int(b)]) => cut(a.wrapping_mul(*b))?,
        ("wrapping_neg", [Value::Int(a)]) => cut(-a)?,
        ("min", [Value::Int(a), Value::Int(b)]) => Value::Int(*a.min(b)),
        ("max", [Value::Int(a), Value::Int(b)]) => Value::Int(*a.max(b)),
        ("abs_diff", [Value::Int(a), Value::Int(b)]) => Value::Int((a - b).abs()),
        ("rotate_left", [Value::Int(a), Value::Int(by)]) => turned(*a, *by)?,
        ("rotate_right", [Value::Int(a), Value::Int(by)]) => turned(*a, -by)?,
        ("count_ones", [Value::Int(a)]) => Value::Int(bits(*a)?.count_ones().into()),
        ("trailing_zeros", [Value::Int(a)]) => {
            Value::Int(bits(*a)?.trailing_zeros().min(scalar.bits()).into())
        }
        ("leading_zeros", [Value::Int(a)]) => {
            Value::Int((bits(*a)?.leading_zeros() + scalar.bits() - 64).into())
        }
        _ => return None,
    })
}
