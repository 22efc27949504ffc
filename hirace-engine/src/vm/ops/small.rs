//! Floats kept in few bits: normalised integers, and floats shorter than 16 bits.

use half::f16;

/// The integer that stands for `value` in [0, 1], 0 to `max`. NaN gives 0.
///
/// In f64, where WGSL's formula is exact enough to round only once.
#[inline(always)]
pub fn to_unorm(value: f32, max: u32) -> u32 {
    (0.5 + f64::from(max) * f64::from(value).clamp(0.0, 1.0)).floor() as u32
}

/// The integer that stands for `value` in [-1, 1], -`max` to `max`. NaN gives 0.
#[inline(always)]
pub fn to_snorm(value: f32, max: u32) -> i32 {
    (0.5 + f64::from(max) * f64::from(value).clamp(-1.0, 1.0)).floor() as i32
}

/// What an integer from 0 to `max` stands for.
#[inline(always)]
pub fn from_unorm(value: u32, max: u32) -> f32 {
    value as f32 / max as f32
}

/// What an integer from -`max` to `max` stands for; the one below stands for -1 too.
#[inline(always)]
pub fn from_snorm(value: i32, max: u32) -> f32 {
    (value as f32 / max as f32).max(-1.0)
}

/// The nearest float without sign, with 5 bits of exponent and `fraction_bits` of fraction: one
/// component of `rg11b10ufloat`.
///
/// What is negative becomes 0, what is finite stays finite: the largest one.
pub fn to_unsigned_float(value: f32, fraction_bits: u32) -> f32 {
    if value.is_nan() || value == f32::INFINITY {
        return value;
    }
    if value <= 0.0 {
        return 0.0;
    }
    const SMALLEST_EXPONENT: i32 = -14;
    const LARGEST_EXPONENT: i32 = 15;
    let fraction_bits = fraction_bits as i32;
    let exponent = (value.to_bits() >> 23) as i32 - 127;
    let step = 2f32.powi(exponent.max(SMALLEST_EXPONENT) - fraction_bits);
    let largest = (2.0 - 2f32.powi(-fraction_bits)) * 2f32.powi(LARGEST_EXPONENT);
    ((value / step).round_ties_even() * step).min(largest)
}

/// The nearest `f16`, rounded once; `half` goes by way of `f32` and rounds twice.
#[inline(always)]
pub fn to_f16(value: f64) -> f32 {
    let near = value as f32;
    // Rounded to odd, a number of more than twice the digits rounds on as the exact one would.
    let odd = if f64::from(near) == value || !near.is_finite() {
        near
    } else {
        let away_from_zero = f64::from(near).abs() > value.abs();
        f32::from_bits((near.to_bits() - u32::from(away_from_zero)) | 1)
    };
    f16::from_f32(odd).to_f32()
}
