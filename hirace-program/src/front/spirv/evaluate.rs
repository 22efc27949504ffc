//! Constant evaluation of instructions.

use super::types::Type;
use rspirv::spirv::Op;

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The bits of a number, or 0 or 1.
    Scalar(u64),
    /// The components of a vector.
    Composite(Vec<Value>),
}

impl Value {
    /// Returns the bits, if the value is a scalar.
    pub fn scalar(&self) -> Option<u64> {
        match self {
            Self::Scalar(bits) => Some(*bits),
            Self::Composite(_) => None,
        }
    }

    /// Returns the part at these indices.
    pub fn part(&self, path: &[u32]) -> Option<&Self> {
        path.iter().try_fold(self, |value, index| match value {
            Self::Composite(parts) => parts.get(*index as usize),
            Self::Scalar(_) => None,
        })
    }
}

/// Evaluates `op` for each component of `values`. `from` is the type of their components, `to` that of the result's components.
/// Returns `None` for an unknown operation, or an undefined result such as a division by zero.
pub fn evaluate(op: Op, from: &Type, to: &Type, values: &[&Value]) -> Option<Value> {
    let parts = values.iter().filter_map(|value| match value {
        Value::Composite(parts) => Some(parts.len()),
        Value::Scalar(_) => None,
    });
    let Some(count) = parts.max() else {
        let bits: Vec<u64> = values.iter().filter_map(|value| value.scalar()).collect();
        return component(op, from, to, &bits).map(Value::Scalar);
    };
    let of_part = |index: usize| {
        // One condition may select for all components.
        let of_value = |value: &&Value| match value {
            Value::Composite(parts) => parts.get(index)?.scalar(),
            Value::Scalar(bits) => Some(*bits),
        };
        let bits: Option<Vec<u64>> = values.iter().map(of_value).collect();
        component(op, from, to, &bits?).map(Value::Scalar)
    };
    (0..count).map(of_part).collect::<Option<Vec<_>>>().map(Value::Composite)
}

fn component(op: Op, from: &Type, to: &Type, values: &[u64]) -> Option<u64> {
    let value = |index: usize| values.get(index).copied();
    if let Op::Select = op {
        return if value(0)? != 0 { value(1) } else { value(2) };
    }
    let a = value(0)?;
    let one = match op {
        Op::LogicalNot => Some(u64::from(a == 0)),
        Op::UConvert | Op::Bitcast => Some(zero_extend(from, a)),
        Op::SConvert => Some(signed(from, a) as u64),
        Op::SNegate => Some(a.wrapping_neg()),
        Op::Not => Some(!a),
        Op::FConvert => return float(from, a).and_then(|value| bits(to, value)),
        _ => None,
    };
    if let Some(one) = one {
        return Some(zero_extend(to, one));
    }
    let b = value(1)?;
    let ([ua, ub], [sa, sb]) =
        ([a, b].map(|x| zero_extend(from, x)), [a, b].map(|x| signed(from, x)));
    let shift = || u32::try_from(ub).ok().filter(|by| *by < width(from));
    let result = match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => ua.checked_div(ub)?,
        Op::UMod => ua.checked_rem(ub)?,
        Op::SDiv => sa.checked_div(sb)? as u64,
        Op::SRem => sa.checked_rem(sb)? as u64,
        Op::SMod => {
            let rest = sa.checked_rem(sb)?;
            (if rest != 0 && (rest < 0) != (sb < 0) { rest + sb } else { rest }) as u64
        }
        Op::ShiftLeftLogical => ua << shift()?,
        Op::ShiftRightLogical => ua >> shift()?,
        Op::ShiftRightArithmetic => (sa >> shift()?) as u64,
        Op::BitwiseAnd | Op::LogicalAnd => a & b,
        Op::BitwiseOr | Op::LogicalOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::IEqual | Op::LogicalEqual => u64::from(ua == ub),
        Op::INotEqual | Op::LogicalNotEqual => u64::from(ua != ub),
        Op::UGreaterThan => u64::from(ua > ub),
        Op::UGreaterThanEqual => u64::from(ua >= ub),
        Op::ULessThan => u64::from(ua < ub),
        Op::ULessThanEqual => u64::from(ua <= ub),
        Op::SGreaterThan => u64::from(sa > sb),
        Op::SGreaterThanEqual => u64::from(sa >= sb),
        Op::SLessThan => u64::from(sa < sb),
        Op::SLessThanEqual => u64::from(sa <= sb),
        _ => return None,
    };
    Some(zero_extend(to, result))
}

fn width(ty: &Type) -> u32 {
    match ty {
        Type::Int { width, .. } | Type::Float { width } => (*width).clamp(1, 64),
        _ => 1,
    }
}

/// Returns the bits of a number of this type, zero-extended.
pub fn zero_extend(ty: &Type, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - width(ty)))
}

/// Returns the number with these bits, sign-extended.
pub fn signed(ty: &Type, bits: u64) -> i64 {
    let unused = 64 - width(ty);
    ((bits << unused) as i64) >> unused
}

fn float(ty: &Type, bits: u64) -> Option<f64> {
    match width(ty) {
        16 => Some(half::f16::from_bits(bits as u16).to_f64()),
        32 => Some(f32::from_bits(bits as u32).into()),
        64 => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// Returns the bits of a number in this type, or `None` if the type cannot represent it.
pub fn bits(ty: &Type, value: f64) -> Option<u64> {
    match ty {
        Type::Bool => Some(u64::from(value != 0.0)),
        Type::Float { width: 16 } => Some(half::f16::from_f64(value).to_bits().into()),
        Type::Float { width: 32 } => Some((value as f32).to_bits().into()),
        Type::Float { width: 64 } => Some(value.to_bits()),
        Type::Int { signed: is_signed, .. } if value.fract() == 0.0 => {
            let integer = match is_signed {
                true => value as i64 as u64,
                false => value as u64,
            };
            let back = match is_signed {
                true => signed(ty, integer) as f64,
                false => zero_extend(ty, integer) as f64,
            };
            (back == value).then(|| zero_extend(ty, integer))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UINT: Type = Type::Int { width: 32, signed: false };
    const INT: Type = Type::Int { width: 32, signed: true };
    const SHORT: Type = Type::Int { width: 16, signed: true };

    fn one(op: Op, from: &Type, to: &Type, values: &[i64]) -> Option<i64> {
        let values: Vec<Value> = values.iter().map(|v| Value::Scalar(*v as u64)).collect();
        let found = evaluate(op, from, to, &values.iter().collect::<Vec<_>>())?;
        Some(signed(to, found.scalar()?))
    }

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(one(Op::IAdd, &INT, &INT, &[i64::from(i32::MAX), 1]), Some(i64::from(i32::MIN)));
        assert_eq!(one(Op::IMul, &SHORT, &SHORT, &[300, 300]), Some(24_464));
        assert_eq!(one(Op::SNegate, &SHORT, &SHORT, &[-32_768]), Some(-32_768));
        assert_eq!(one(Op::ISub, &UINT, &UINT, &[0, 1]), Some(-1));
    }

    #[test]
    fn signs_count_where_the_operation_says_so() {
        assert_eq!(one(Op::SDiv, &INT, &INT, &[-7, 2]), Some(-3));
        assert_eq!(one(Op::SRem, &INT, &INT, &[-7, 2]), Some(-1));
        assert_eq!(one(Op::SMod, &INT, &INT, &[-7, 2]), Some(1));
        assert_eq!(one(Op::SMod, &INT, &INT, &[7, -2]), Some(-1));
        assert_eq!(one(Op::ShiftRightArithmetic, &INT, &INT, &[-8, 1]), Some(-4));
        assert_eq!(one(Op::ShiftRightLogical, &INT, &INT, &[-8, 1]), Some(0x7fff_fffc));
        assert_eq!(one(Op::SLessThan, &INT, &Type::Bool, &[-1, 0]), Some(-1));
        assert_eq!(one(Op::ULessThan, &INT, &Type::Bool, &[-1, 0]), Some(0));
        assert_eq!(one(Op::SConvert, &SHORT, &INT, &[0xffff]), Some(-1));
        assert_eq!(one(Op::UConvert, &SHORT, &INT, &[0xffff]), Some(0xffff));
    }

    #[test]
    fn undefined_operations_have_no_value() {
        assert_eq!(one(Op::UDiv, &UINT, &UINT, &[1, 0]), None);
        assert_eq!(one(Op::SMod, &INT, &INT, &[1, 0]), None);
        assert_eq!(one(Op::ShiftLeftLogical, &UINT, &UINT, &[1, 32]), None);
        assert_eq!(one(Op::IAdd, &UINT, &UINT, &[1]), None);
        assert_eq!(one(Op::FAdd, &UINT, &UINT, &[1, 1]), None);
    }

    #[test]
    fn vectors_go_by_component_and_conditions_choose() {
        let vector = |parts: &[u64]| {
            Value::Composite(parts.iter().map(|part| Value::Scalar(*part)).collect())
        };
        let sum = evaluate(Op::IAdd, &UINT, &UINT, &[&vector(&[1, 2]), &vector(&[10, 20])]);
        assert_eq!(sum, Some(vector(&[11, 22])));
        let both = [&Value::Scalar(0), &vector(&[1, 2]), &vector(&[3, 4])];
        assert_eq!(evaluate(Op::Select, &Type::Bool, &UINT, &both), Some(vector(&[3, 4])));
        assert_eq!(evaluate(Op::IAdd, &UINT, &UINT, &[&vector(&[1, 2]), &vector(&[1])]), None);
    }

    #[test]
    fn given_numbers_must_fit() {
        assert_eq!(bits(&UINT, 64.0), Some(64));
        assert_eq!(bits(&INT, -1.0), Some(0xffff_ffff));
        assert_eq!(bits(&Type::Bool, 2.0), Some(1));
        assert_eq!(bits(&Type::Float { width: 32 }, 1.0), Some(0x3f80_0000));
        for wrong in [-1.0, 0.5, 4_294_967_296.0, f64::NAN, f64::INFINITY] {
            assert_eq!(bits(&UINT, wrong), None, "{wrong}");
        }
    }
}
