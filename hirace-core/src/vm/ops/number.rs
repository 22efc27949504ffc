//! The arithmetic of WGSL's numbers where it differs from Rust's, for every width at once.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// `i16`, `u16`, `i32`, `u32`, `i64` and `u64`: they wrap, and no division fails.
pub trait Integer:
    Copy
    + Default
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// How many bits it has.
    const BITS: u32;
    /// 1.
    const ONE: Self;
    /// The smallest value.
    const MIN: Self;
    /// The largest value.
    const MAX: Self;
    /// Whether it has negative values.
    const SIGNED: bool;
    /// `a + b`.
    fn add(self, b: Self) -> Self;
    /// `a - b`.
    fn sub(self, b: Self) -> Self;
    /// `a * b`.
    fn mul(self, b: Self) -> Self;
    /// `a / b`: `a` where `b` is 0 or the quotient too large.
    fn div(self, b: Self) -> Self;
    /// `a % b`: 0 where `b` is 0 or the quotient too large.
    fn rem(self, b: Self) -> Self;
    /// `a << b`, `b` taken modulo the width.
    fn shl(self, b: u32) -> Self;
    /// `a >> b`, `b` taken modulo the width; signed integers keep their sign.
    fn shr(self, b: u32) -> Self;
    /// Number of bits that are 1.
    fn count_ones(self) -> u32;
    /// Number of 0 bits above the highest 1.
    fn leading_zeros(self) -> u32;
    /// Number of 0 bits below the lowest 1.
    fn trailing_zeros(self) -> u32;
    /// The bits in the opposite order.
    fn reverse_bits(self) -> Self;
    /// The low bits of a small number.
    fn from_u32(value: u32) -> Self;
}

macro_rules! integer {
    ($($type:ident signed: $signed:literal;)*) => {$(
        impl Integer for $type {
            const BITS: u32 = $type::BITS;
            const ONE: Self = 1;
            const MIN: Self = $type::MIN;
            const MAX: Self = $type::MAX;
            const SIGNED: bool = $signed;
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
            fn from_u32(value: u32) -> Self {
                value as Self
            }
        }
    )*};
}

integer! {
    i16 signed: true;
    u16 signed: false;
    i32 signed: true;
    u32 signed: false;
    i64 signed: true;
    u64 signed: false;
}

/// `f32` (`f16` too) and `f64`.
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
    /// `a` without its fraction.
    fn trunc(self) -> Self;

    /// `a % b`, as WGSL defines it: `a - b * trunc(a / b)`, unlike Rust's exact remainder.
    #[inline(always)]
    fn rem(self, b: Self) -> Self {
        self - b * (self / b).trunc()
    }
}

macro_rules! float {
    ($($type:ident)*) => {$(
        impl Float for $type {
            #[inline(always)]
            fn trunc(self) -> Self {
                self.trunc()
            }
        }
    )*};
}

float! { f32 f64 }
