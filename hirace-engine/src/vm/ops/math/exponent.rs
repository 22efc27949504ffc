//! Decomposition and composition of floats: `modf`, `frexp`, `ldexp`.

use super::super::Slot;
use super::super::lane::{I32, I64, Lane, map1, map2};
use super::super::number::Float;

/// Computes `modf`: `out` holds the fractions of the components, then their whole parts.
pub fn modf<L: Lane<Value: Float>, const N: usize>(a: &[Slot<N>], out: &mut [Slot<N>]) {
    let (fract, integral) = out.split_at_mut(a.len());
    map1::<L, L, N>(a, fract, |a| {
        // An infinity has no fraction; infinity - infinity would be NaN.
        if a == a.trunc() { L::Value::default() } else { a - a.trunc() }
    });
    map1::<L, L, N>(a, integral, Float::trunc);
}

/// Computes `frexp`: `out` holds the significands of the components, in [0.5, 1) or 0, then their exponents.
/// For infinities and NaN, for which WGSL leaves both open, the significand is the number itself and the
/// exponent is 0.
pub fn frexp<L: Lane<Value: Float>, const N: usize>(a: &[Slot<N>], out: &mut [Slot<N>]) {
    let (fract, exp) = out.split_at_mut(a.len());
    map1::<L, L, N>(a, fract, |a| Float::from_f64(split(a.to_f64()).0));
    if L::SLOTS == 2 {
        map1::<L, I64, N>(a, exp, |a| split(a.to_f64()).1.into());
    } else {
        map1::<L, I32, N>(a, exp, |a| split(a.to_f64()).1);
    }
}

/// Computes `out = a * 2^b`, rounded once; the exponents `b` are `i32`.
pub fn ldexp<L: Lane<Value: Float>, const N: usize>(
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    map2::<L, I32, L, N>(a, b, out, |a, b| Float::from_f64(scale(a.to_f64(), b)));
}

const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
const EXPONENT_MASK: u64 = 0x7ff;
/// The exponent field of numbers in [0.5, 1).
const HALF_EXPONENT: u64 = 1022;

fn split(a: f64) -> (f64, i32) {
    if a == 0.0 || !a.is_finite() {
        return (a, 0);
    }
    let exponent = |bits: u64| (bits >> FRACTION_BITS & EXPONENT_MASK) as i32;
    // Denormals have no exponent of their own, so they are scaled up first.
    let (bits, scaled) = match a.is_normal() {
        true => (a.to_bits(), 0),
        false => ((a * 2f64.powi(64)).to_bits(), 64),
    };
    let fract = bits & !(EXPONENT_MASK << FRACTION_BITS) | HALF_EXPONENT << FRACTION_BITS;
    (f64::from_bits(fract), exponent(bits) - HALF_EXPONENT as i32 - scaled)
}

/// Returns `a * 2^b` for any `b`, rounded once: all downward steps but the last avoid denormals.
fn scale(mut a: f64, b: i32) -> f64 {
    let power = |n: i32| f64::from_bits(((n + 1023) as u64) << FRACTION_BITS);
    let mut b = b.clamp(-2200, 2200);
    while b > 1023 {
        a *= power(1023);
        b -= 1023;
    }
    while b < -1022 {
        // 2^-969 keeps 53 bits above the smallest normal number of the next step.
        a *= power(-969);
        b += 969;
    }
    a * power(b)
}
