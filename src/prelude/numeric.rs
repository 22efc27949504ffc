//! WGSL's component-wise numeric functions, and its logical functions.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{Boolean, ConditionOf, FactorOf, Float, Numeric, Signed, Value};
use super::never_executed;

/// `acos(e)`: the angle whose cosine is `e`, from 0 to π.
pub fn acos<T: Float>(e: T) -> T {
    never_executed()
}

/// `acosh(e)`: the inverse hyperbolic cosine.
pub fn acosh<T: Float>(e: T) -> T {
    never_executed()
}

/// `asin(e)`: the angle whose sine is `e`, from -π/2 to π/2.
pub fn asin<T: Float>(e: T) -> T {
    never_executed()
}

/// `asinh(e)`: the inverse hyperbolic sine.
pub fn asinh<T: Float>(e: T) -> T {
    never_executed()
}

/// `atan(e)`: the angle whose tangent is `e`, from -π/2 to π/2.
pub fn atan<T: Float>(e: T) -> T {
    never_executed()
}

/// `atanh(e)`: the inverse hyperbolic tangent.
pub fn atanh<T: Float>(e: T) -> T {
    never_executed()
}

/// `ceil(e)`: `e`, rounded up.
pub fn ceil<T: Float>(e: T) -> T {
    never_executed()
}

/// `cos(e)`: the cosine.
pub fn cos<T: Float>(e: T) -> T {
    never_executed()
}

/// `cosh(e)`: the hyperbolic cosine.
pub fn cosh<T: Float>(e: T) -> T {
    never_executed()
}

/// `degrees(e)`: `e`, converted from radians to degrees.
pub fn degrees<T: Float>(e: T) -> T {
    never_executed()
}

/// `exp(e)`: e to the power of `e`.
pub fn exp<T: Float>(e: T) -> T {
    never_executed()
}

/// `exp2(e)`: 2 to the power of `e`.
pub fn exp2<T: Float>(e: T) -> T {
    never_executed()
}

/// `floor(e)`: `e`, rounded down.
pub fn floor<T: Float>(e: T) -> T {
    never_executed()
}

/// `fract(e)`: `e - floor(e)`; `e.fract()` is `e - trunc(e)`.
pub fn fract<T: Float>(e: T) -> T {
    never_executed()
}

/// `inverseSqrt(e)`: 1 over the square root.
pub fn inverse_sqrt<T: Float>(e: T) -> T {
    never_executed()
}

/// `log(e)`: the natural logarithm.
pub fn log<T: Float>(e: T) -> T {
    never_executed()
}

/// `log2(e)`: the logarithm to base 2.
pub fn log2<T: Float>(e: T) -> T {
    never_executed()
}

/// `quantizeToF16(e)`: the nearest value that a 16-bit float can hold.
pub fn quantize_to_f16<T: Float>(e: T) -> T {
    never_executed()
}

/// `radians(e)`: `e`, converted from degrees to radians.
pub fn radians<T: Float>(e: T) -> T {
    never_executed()
}

/// `round(e)`: `e`, rounded to the nearest integer, halves to the even one. `e.round()` rounds halves away from 0.
pub fn round<T: Float>(e: T) -> T {
    never_executed()
}

/// `saturate(e)`: `clamp(e, 0.0, 1.0)`.
pub fn saturate<T: Float>(e: T) -> T {
    never_executed()
}

/// `sin(e)`: the sine.
pub fn sin<T: Float>(e: T) -> T {
    never_executed()
}

/// `sinh(e)`: the hyperbolic sine.
pub fn sinh<T: Float>(e: T) -> T {
    never_executed()
}

/// `sqrt(e)`: the square root.
pub fn sqrt<T: Float>(e: T) -> T {
    never_executed()
}

/// `tan(e)`: the tangent.
pub fn tan<T: Float>(e: T) -> T {
    never_executed()
}

/// `tanh(e)`: the hyperbolic tangent.
pub fn tanh<T: Float>(e: T) -> T {
    never_executed()
}

/// `trunc(e)`: `e`, rounded towards 0.
pub fn trunc<T: Float>(e: T) -> T {
    never_executed()
}

/// `atan2(y, x)`: the angle of the point (x, y), from -π to π.
pub fn atan2<T: Float>(y: T, x: T) -> T {
    never_executed()
}

/// `pow(base, exponent)`; `base` must not be negative.
pub fn pow<T: Float>(base: T, exponent: T) -> T {
    never_executed()
}

/// `step(edge, x)`: 1 where `edge <= x`, otherwise 0.
pub fn step<T: Float>(edge: T, x: T) -> T {
    never_executed()
}

/// `fma(a, b, c)`: `a * b + c`, possibly rounded only once.
pub fn fma<T: Float>(a: T, b: T, c: T) -> T {
    never_executed()
}

/// `smoothstep(low, high, x)`: from 0 at `low` to 1 at `high`, smoothly.
pub fn smoothstep<T: Float>(low: T, high: T, x: T) -> T {
    never_executed()
}

/// `mix(a, b, t)`: `a * (1 - t) + b * t`; `t` may be an `f32` for all components.
pub fn mix<T: Float, F: FactorOf<T>>(a: T, b: T, t: F) -> T {
    never_executed()
}

/// `ldexp(e, exponent)`: `e` times 2 to the power of `exponent`.
pub fn ldexp<T: Float>(e: T, exponent: T::Ints) -> T {
    never_executed()
}

/// `frexp(e)`: `e` as a fraction from 0.5 up to 1 and an exponent of 2.
pub fn frexp<T: Float>(e: T) -> (T, T::Ints) {
    never_executed()
}

/// `modf(e)`: the fractional part and the integer part, both with the sign of `e`.
pub fn modf<T: Float>(e: T) -> (T, T) {
    never_executed()
}

/// `abs(e)`: the absolute value.
pub fn abs<T: Numeric>(e: T) -> T {
    never_executed()
}

/// `sign(e)`: -1, 0 or 1. `e.signum()` of a float is never 0.
pub fn sign<T: Signed>(e: T) -> T {
    never_executed()
}

/// `min(a, b)`: the smaller value, by component.
pub fn min<T: Numeric>(a: T, b: T) -> T {
    never_executed()
}

/// `max(a, b)`: the larger value, by component.
pub fn max<T: Numeric>(a: T, b: T) -> T {
    never_executed()
}

/// `clamp(e, low, high)`: `e`, limited to the range from `low` to `high`.
pub fn clamp<T: Numeric>(e: T, low: T, high: T) -> T {
    never_executed()
}

/// `select(rejected, accepted, condition)`: `accepted` where `condition` is true, otherwise `rejected`. Both are evaluated.
pub fn select<T: Value, C: ConditionOf<T>>(rejected: T, accepted: T, condition: C) -> T {
    never_executed()
}

/// `all(e)`: whether all components are true.
pub fn all<T: Boolean>(e: T) -> bool {
    never_executed()
}
