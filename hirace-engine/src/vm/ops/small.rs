//! Floats stored in few bits: normalized integers, and floats of fewer than 16 bits.

use half::f16;

/// Converts `value` in [0, 1] to an integer from 0 to `max`. NaN becomes 0.
///
/// Computed in f64, where WGSL's formula is exact enough to round only once.
#[inline(always)]
pub fn to_unorm(value: f32, max: u32) -> u32 {
    (0.5 + f64::from(max) * f64::from(value).clamp(0.0, 1.0)).floor() as u32
}

/// Converts `value` in [-1, 1] to an integer from -`max` to `max`. NaN becomes 0.
#[inline(always)]
pub fn to_snorm(value: f32, max: u32) -> i32 {
    (0.5 + f64::from(max) * f64::from(value).clamp(-1.0, 1.0)).floor() as i32
}

/// Converts an integer from 0 to `max` to a number in [0, 1].
#[inline(always)]
pub fn from_unorm(value: u32, max: u32) -> f32 {
    value as f32 / max as f32
}

/// Converts an integer from -`max` to `max` to a number in [-1, 1]; -`max` - 1 also becomes -1.
#[inline(always)]
pub fn from_snorm(value: i32, max: u32) -> f32 {
    (value as f32 / max as f32).max(-1.0)
}

/// Returns the nearest unsigned float with 5 exponent bits and `fraction_bits` fraction bits: a component of
/// `rg11b10ufloat`.
///
/// Negative values become 0. Finite values stay finite: they saturate at the largest one.
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

/// Returns the nearest `f16`, rounded once; the `half` crate converts through `f32` and rounds twice.
#[inline(always)]
pub fn to_f16(value: f64) -> f32 {
    let near = value as f32;
    // A number that was rounded to odd and has more than twice the digits rounds further like the exact
    // number.
    let odd = if f64::from(near) == value || !near.is_finite() {
        near
    } else {
        let away_from_zero = f64::from(near).abs() > value.abs();
        f32::from_bits((near.to_bits() - u32::from(away_from_zero)) | 1)
    };
    f16::from_f32(odd).to_f32()
}
