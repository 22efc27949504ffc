//! The arithmetic of WGSL's numbers where it differs from Rust's, for every width at once.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The integer types `i16`, `u16`, `i32`, `u32`, `i64` and `u64`: arithmetic wraps, and division never fails.
pub trait Integer:
    Copy
    + Default
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Number of bits.
    const BITS: u32;
    /// 1.
    const ONE: Self;
    /// The smallest value.
    const MIN: Self;
    /// The largest value.
    const MAX: Self;
    /// `a + b`.
    fn add(self, b: Self) -> Self;
    /// `a - b`.
    fn sub(self, b: Self) -> Self;
    /// `a * b`.
    fn mul(self, b: Self) -> Self;
    /// `a / b`: `a` if `b` is 0 or the quotient overflows.
    fn div(self, b: Self) -> Self;
    /// `a % b`: 0 if `b` is 0 or the quotient overflows.
    fn rem(self, b: Self) -> Self;
    /// `a << b`, `b` taken modulo the width.
    fn shl(self, b: u32) -> Self;
    /// `a >> b`, `b` taken modulo the width; signed integers keep their sign.
    fn shr(self, b: u32) -> Self;
    /// Returns the number of 1 bits.
    fn count_ones(self) -> u32;
    /// Returns the number of 0 bits above the highest 1.
    fn leading_zeros(self) -> u32;
    /// Returns the number of 0 bits below the lowest 1.
    fn trailing_zeros(self) -> u32;
    /// Returns the bits in reverse order.
    fn reverse_bits(self) -> Self;
    /// Returns the value, or the bits of a `u64` that is too large.
    fn to_i64(self) -> i64;
    /// Returns the nearest `f32`.
    fn to_f32(self) -> f32;
    /// Returns the nearest `f64`.
    fn to_f64(self) -> f64;
    /// Returns the integer of the low bits.
    fn from_i64(value: i64) -> Self;
    /// Truncates `value`. If out of range, the result is the nearest integer that is also an `f32`, so it is
    /// not [`Integer::MAX`] unless that is one. NaN becomes 0.
    fn from_f32(value: f32) -> Self;
    /// Converts an `f64` as [`Integer::from_f32`] does.
    fn from_f64(value: f64) -> Self;
}

macro_rules! integer {
    ($($type:ident)*) => {$(
        impl Integer for $type {
            const BITS: u32 = $type::BITS;
            const ONE: Self = 1;
            const MIN: Self = $type::MIN;
            const MAX: Self = $type::MAX;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                self.wrapping_sub(b)
            }
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                self.wrapping_mul(b)
            }
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                if b == 0 { self } else { self.wrapping_div(b) }
            }
            #[inline(always)]
            fn rem(self, b: Self) -> Self {
                if b == 0 { 0 } else { self.wrapping_rem(b) }
            }
            #[inline(always)]
            fn shl(self, b: u32) -> Self {
                self.wrapping_shl(b)
            }
            #[inline(always)]
            fn shr(self, b: u32) -> Self {
                self.wrapping_shr(b)
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }
            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn reverse_bits(self) -> Self {
                self.reverse_bits()
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_i64(value: i64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn from_f32(value: f32) -> Self {
                const NEAREST: f32 = $type::MAX as f32;
                const LIMIT: f32 = if NEAREST as i128 > $type::MAX as i128 {
                    NEAREST.next_down()
                } else {
                    NEAREST
                };
                (if value > LIMIT { LIMIT } else { value }) as Self
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                const NEAREST: f64 = $type::MAX as f64;
                const LIMIT: f64 = if NEAREST as i128 > $type::MAX as i128 {
                    NEAREST.next_down()
                } else {
                    NEAREST
                };
                (if value > LIMIT { LIMIT } else { value }) as Self
            }
        }
    )*};
}

integer! { i16 u16 i32 u32 i64 u64 }

/// The float types `f32` (also for `f16`) and `f64`.
pub trait Float:
    Copy
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// 1.
    const ONE: Self;
    /// Converts a number that the type represents exactly.
    fn from_f32(value: f32) -> Self;
    /// Returns the value as an `f64`.
    fn to_f64(self) -> f64;
    /// Returns the nearest float.
    fn from_f64(value: f64) -> Self;
    /// Returns the nearest float.
    fn from_integer<I: Integer>(value: I) -> Self;
    /// Converts towards zero, saturating: see [`Integer::from_f32`].
    fn to_integer<I: Integer>(self) -> I;

    /// Truncates `a`.
    fn trunc(self) -> Self;
    /// Returns the largest integer that is not larger.
    fn floor(self) -> Self;
    /// Returns the smallest integer that is not smaller.
    fn ceil(self) -> Self;
    /// Returns the nearest integer, ties to even.
    fn round(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Inverse sine.
    fn asin(self) -> Self;
    /// Inverse cosine.
    fn acos(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Inverse hyperbolic sine.
    fn asinh(self) -> Self;
    /// Inverse hyperbolic cosine.
    fn acosh(self) -> Self;
    /// Inverse hyperbolic tangent.
    fn atanh(self) -> Self;
    /// The exponential.
    fn exp(self) -> Self;
    /// 2 to this power.
    fn exp2(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The logarithm of base 2.
    fn log2(self) -> Self;
    /// Degrees to radians.
    fn radians(self) -> Self;
    /// Radians to degrees.
    fn degrees(self) -> Self;
    /// Returns the angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;
    /// Raises to the power of `b`.
    fn pow(self, b: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Returns the smaller value, or the other one if one is NaN.
    fn min(self, b: Self) -> Self;
    /// Returns the larger value, or the other one if one is NaN.
    fn max(self, b: Self) -> Self;

    /// `a % b`, as WGSL defines it: `a - b * trunc(a / b)`, unlike Rust's exact remainder.
    #[inline(always)]
    fn rem(self, b: Self) -> Self {
        self - b * (self / b).trunc()
    }

    /// `min(max(self, low), high)`.
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}

macro_rules! delegate {
    ($type:ident: $($name:ident = $std:ident;)*) => {$(
        #[inline(always)]
        fn $name(self) -> Self {
            $type::$std(self)
        }
    )*};
}

macro_rules! float {
    ($($type:ident $from_integer:ident $to_integer:ident;)*) => {$(
        impl Float for $type {
            const ONE: Self = 1.0;
            #[inline(always)]
            fn from_f32(value: f32) -> Self {
                value.into()
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn from_integer<I: Integer>(value: I) -> Self {
                value.$from_integer()
            }
            #[inline(always)]
            fn to_integer<I: Integer>(self) -> I {
                I::$to_integer(self)
            }
            delegate! { $type:
                trunc = trunc; floor = floor; ceil = ceil; round = round_ties_even; abs = abs;
                sqrt = sqrt; sin = sin; cos = cos; tan = tan; asin = asin; acos = acos; atan = atan;
                sinh = sinh; cosh = cosh; tanh = tanh;
                exp = exp; exp2 = exp2; ln = ln; log2 = log2;
                radians = to_radians; degrees = to_degrees;
            }
            // Computed in f64, because the f32 functions lose half of the digits for some arguments.
            #[inline(always)]
            fn asinh(self) -> Self {
                Self::from_f64(self.to_f64().asinh())
            }
            #[inline(always)]
            fn acosh(self) -> Self {
                Self::from_f64(self.to_f64().acosh())
            }
            #[inline(always)]
            fn atanh(self) -> Self {
                Self::from_f64(self.to_f64().atanh())
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                self.atan2(x)
            }
            #[inline(always)]
            fn pow(self, b: Self) -> Self {
                self.powf(b)
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                self.min(b)
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                self.max(b)
            }
        }
    )*};
}

float! {
    f32 to_f32 from_f32;
    f64 to_f64 from_f64;
}
