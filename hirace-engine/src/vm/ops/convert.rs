//! Conversions and bitcasts: naga's `Expression::As`.

use super::Slot;
use super::lane::{Bool, F16, Lane, by_scalar, map1};
use super::number::{Float, Integer};
use super::small::to_f16;
use half::f16;
use naga::{Scalar, ScalarKind};

/// Computes `out = to(operand)`, by component: WGSL's value constructors of scalar and vector type.
///
/// - To `bool`: whether the value differs from 0 (NaN does). From `bool`: 0 or 1.
/// - Integer to integer: the low bits. A wider result is sign-extended if `from` is signed, and zero-extended otherwise.
/// - Integer to float, float to float: the nearest value, ties to even; a value that is too large becomes
///   infinity.
/// - Float to integer: truncated. If out of range, the nearest integer that both types can represent, as WGSL
///   requires, so `u32(1e20f)` is 4294967040. NaN, for which WGSL leaves the result open, becomes 0.
pub fn convert<const N: usize>(from: Scalar, to: Scalar, operand: &[Slot<N>], out: &mut [Slot<N>]) {
    by_scalar!(from,
        bool _L => from_bool(to, operand, out),
        integer L => from_integer::<L, N>(to, operand, out),
        float L => if from == Scalar::F16 {
            from_float::<L, N>(to, operand, out, LARGEST_F16);
        } else {
            from_float::<L, N>(to, operand, out, f32::INFINITY);
        },
        otherwise => {},
    );
}

/// The largest finite `f16`.
const LARGEST_F16: f32 = f16::MAX.to_f32_const();

fn from_bool<const N: usize>(to: Scalar, a: &[Slot<N>], out: &mut [Slot<N>]) {
    by_scalar!(to,
        bool R => map1::<Bool, R, N>(a, out, |a| a),
        integer R => map1::<Bool, R, N>(a, out, |a| Integer::from_i64(a.into())),
        float R => map1::<Bool, R, N>(a, out, |a| Float::from_f32(a.into())),
        otherwise => {},
    );
}

fn from_integer<L: Lane<Value: Integer>, const N: usize>(
    to: Scalar,
    a: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    by_scalar!(to,
        bool R => map1::<L, R, N>(a, out, |a| a != L::Value::default()),
        integer R => map1::<L, R, N>(a, out, |a| Integer::from_i64(a.to_i64())),
        float R => map1::<L, R, N>(a, out, Float::from_integer),
        otherwise => {},
    );
}

/// Converts from a float. The result of a conversion to an integer is at most `largest` in magnitude.
fn from_float<L: Lane<Value: Float>, const N: usize>(
    to: Scalar,
    a: &[Slot<N>],
    out: &mut [Slot<N>],
    largest: f32,
) {
    if to == Scalar::F16 {
        // A conversion through f32 would round twice.
        return map1::<L, F16, N>(a, out, |a| to_f16(a.to_f64()));
    }
    let largest = L::Value::from_f32(largest);
    by_scalar!(to,
        bool R => map1::<L, R, N>(a, out, |a| a != L::Value::default()),
        integer R => map1::<L, R, N>(a, out, |a| {
            (if a.abs() > largest { a.clamp(-largest, largest) } else { a }).to_integer()
        }),
        float R => map1::<L, R, N>(a, out, |a| Float::from_f64(a.to_f64())),
        otherwise => {},
    );
}

/// Computes `out = bitcast<to>(operand)`, by component; both types have the same width.
///
/// Memory accesses treat an `f16` in the same way: its two bytes are a `u16`.
pub fn bitcast<const N: usize>(
    from: Scalar,
    to: ScalarKind,
    operand: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    if from.width != 2 || from.kind == to {
        for (out, operand) in out.iter_mut().zip(operand) {
            *out = *operand;
        }
        return;
    }
    let bits = |word: u32| match from.kind {
        ScalarKind::Float => f16::from_f32(f32::from_bits(word)).to_bits(),
        _ => word as u16,
    };
    for (out, operand) in out.iter_mut().zip(operand) {
        for (out, word) in out.iter_mut().zip(operand) {
            let bits = bits(*word);
            *out = match to {
                ScalarKind::Float => f16::from_bits(bits).to_f32().to_bits(),
                ScalarKind::Sint => bits as i16 as u32,
                _ => bits.into(),
            };
        }
    }
}
