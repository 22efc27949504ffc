//! WGSL's functions for bits of integers, and for values packed into a `u32`.
#![allow(unused_variables, reason = "the functions represent WGSL functions and have no bodies")]

use super::classes::{BitsOf, Integer, Numeric};
use super::never_executed;
use glam::{IVec4, UVec4, Vec2, Vec4};

/// `bitcast<T>(e)`: the same bits as another type: `bitcast::<u32>(1.0)`. The type can also be inferred.
pub fn bitcast<T: Numeric>(e: impl BitsOf<T>) -> T {
    never_executed()
}

/// `countLeadingZeros(e)`: the number of leading 0 bits.
pub fn count_leading_zeros<T: Integer>(e: T) -> T {
    never_executed()
}

/// `countOneBits(e)`: the number of 1 bits.
pub fn count_one_bits<T: Integer>(e: T) -> T {
    never_executed()
}

/// `countTrailingZeros(e)`: the number of trailing 0 bits.
pub fn count_trailing_zeros<T: Integer>(e: T) -> T {
    never_executed()
}

/// `firstLeadingBit(e)`: the position of the most significant 1 bit, or of the most significant 0 bit if `e` is negative; -1 if
/// there is no such bit.
pub fn first_leading_bit<T: Integer>(e: T) -> T {
    never_executed()
}

/// `firstTrailingBit(e)`: the position of the least significant 1 bit; -1 if there is none.
pub fn first_trailing_bit<T: Integer>(e: T) -> T {
    never_executed()
}

/// `reverseBits(e)`: the bits in reverse order.
pub fn reverse_bits<T: Integer>(e: T) -> T {
    never_executed()
}

/// `extractBits(e, offset, count)`: the `count` bits from `offset` as a number.
pub fn extract_bits<T: Integer>(e: T, offset: u32, count: u32) -> T {
    never_executed()
}

/// `insertBits(e, bits, offset, count)`: `e` with `count` bits from `offset` replaced by the low bits of `bits`.
pub fn insert_bits<T: Integer>(e: T, bits: T, offset: u32, count: u32) -> T {
    never_executed()
}

/// `dot4I8Packed(a, b)`: the dot product of two vectors of four packed signed bytes.
pub fn dot4_i8_packed(a: u32, b: u32) -> i32 {
    never_executed()
}

/// `dot4U8Packed(a, b)`: the dot product of two vectors of four packed unsigned bytes.
pub fn dot4_u8_packed(a: u32, b: u32) -> u32 {
    never_executed()
}

/// `pack4x8snorm(e)`: four values from -1 to 1 as signed bytes.
pub fn pack4x8snorm(e: Vec4) -> u32 {
    never_executed()
}

/// `pack4x8unorm(e)`: four values from 0 to 1 as bytes.
pub fn pack4x8unorm(e: Vec4) -> u32 {
    never_executed()
}

/// `pack2x16snorm(e)`: two values from -1 to 1 in 16 bits each.
pub fn pack2x16snorm(e: Vec2) -> u32 {
    never_executed()
}

/// `pack2x16unorm(e)`: two values from 0 to 1 in 16 bits each.
pub fn pack2x16unorm(e: Vec2) -> u32 {
    never_executed()
}

/// `pack2x16float(e)`: two values as 16-bit floats.
pub fn pack2x16float(e: Vec2) -> u32 {
    never_executed()
}

/// `pack4xI8(e)`: the low bytes of four numbers.
pub fn pack4x_i8(e: IVec4) -> u32 {
    never_executed()
}

/// `pack4xU8(e)`: the low bytes of four numbers.
pub fn pack4x_u8(e: UVec4) -> u32 {
    never_executed()
}

/// `pack4xI8Clamp(e)`: four numbers, clamped to signed bytes.
pub fn pack4x_i8_clamp(e: IVec4) -> u32 {
    never_executed()
}

/// `pack4xU8Clamp(e)`: four numbers, clamped to unsigned bytes.
pub fn pack4x_u8_clamp(e: UVec4) -> u32 {
    never_executed()
}

/// `unpack4x8snorm(e)`: the inverse of [`pack4x8snorm`].
pub fn unpack4x8snorm(e: u32) -> Vec4 {
    never_executed()
}

/// `unpack4x8unorm(e)`: the inverse of [`pack4x8unorm`].
pub fn unpack4x8unorm(e: u32) -> Vec4 {
    never_executed()
}

/// `unpack2x16snorm(e)`: the inverse of [`pack2x16snorm`].
pub fn unpack2x16snorm(e: u32) -> Vec2 {
    never_executed()
}

/// `unpack2x16unorm(e)`: the inverse of [`pack2x16unorm`].
pub fn unpack2x16unorm(e: u32) -> Vec2 {
    never_executed()
}

/// `unpack2x16float(e)`: the inverse of [`pack2x16float`].
pub fn unpack2x16float(e: u32) -> Vec2 {
    never_executed()
}

/// `unpack4xI8(e)`: the inverse of [`pack4x_i8`], with sign extension.
pub fn unpack4x_i8(e: u32) -> IVec4 {
    never_executed()
}

/// `unpack4xU8(e)`: the inverse of [`pack4x_u8`].
pub fn unpack4x_u8(e: u32) -> UVec4 {
    never_executed()
}
