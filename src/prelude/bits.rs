//! WGSL's functions of bits: of integers, and of values packed into a `u32`.
#![allow(unused_variables, reason = "the functions stand for WGSL's and have no bodies")]

use super::classes::{BitsOf, Integer, Numeric};
use super::never_executed;
use glam::{IVec4, UVec4, Vec2, Vec4};

/// `bitcast<T>(e)`: the same bits as another type: `bitcast::<u32>(1.0)`, or as where it is used says.
pub fn bitcast<T: Numeric>(e: impl BitsOf<T>) -> T {
    never_executed()
}

/// `countLeadingZeros(e)`: how many of the highest bits are 0.
pub fn count_leading_zeros<T: Integer>(e: T) -> T {
    never_executed()
}

/// `countOneBits(e)`: how many bits are 1.
pub fn count_one_bits<T: Integer>(e: T) -> T {
    never_executed()
}

/// `countTrailingZeros(e)`: how many of the lowest bits are 0.
pub fn count_trailing_zeros<T: Integer>(e: T) -> T {
    never_executed()
}

/// `firstLeadingBit(e)`: the position of the highest bit that is 1, for negative numbers 0; -1 if there is none.
pub fn first_leading_bit<T: Integer>(e: T) -> T {
    never_executed()
}

/// `firstTrailingBit(e)`: the position of the lowest bit that is 1; -1 if there is none.
pub fn first_trailing_bit<T: Integer>(e: T) -> T {
    never_executed()
}

/// `reverseBits(e)`: the lowest bit becomes the highest.
pub fn reverse_bits<T: Integer>(e: T) -> T {
    never_executed()
}

/// `extractBits(e, offset, count)`: those bits as a number.
pub fn extract_bits<T: Integer>(e: T, offset: u32, count: u32) -> T {
    never_executed()
}

/// `insertBits(e, bits, offset, count)`: `e` with the lowest bits of `bits` there.
pub fn insert_bits<T: Integer>(e: T, bits: T, offset: u32, count: u32) -> T {
    never_executed()
}

/// `dot4I8Packed(a, b)`: the dot product of four signed bytes each.
pub fn dot4_i8_packed(a: u32, b: u32) -> i32 {
    never_executed()
}

/// `dot4U8Packed(a, b)`: the dot product of four bytes each.
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

/// `pack2x16float(e)`: two values as floats of 16 bits.
pub fn pack2x16float(e: Vec2) -> u32 {
    never_executed()
}

/// `pack4xI8(e)`: the lowest bytes of four numbers.
pub fn pack4x_i8(e: IVec4) -> u32 {
    never_executed()
}

/// `pack4xU8(e)`: the lowest bytes of four numbers.
pub fn pack4x_u8(e: UVec4) -> u32 {
    never_executed()
}

/// `pack4xI8Clamp(e)`: four numbers, clamped to signed bytes.
pub fn pack4x_i8_clamp(e: IVec4) -> u32 {
    never_executed()
}

/// `pack4xU8Clamp(e)`: four numbers, clamped to bytes.
pub fn pack4x_u8_clamp(e: UVec4) -> u32 {
    never_executed()
}

/// `unpack4x8snorm(e)`: what [`pack4x8snorm`] packs.
pub fn unpack4x8snorm(e: u32) -> Vec4 {
    never_executed()
}

/// `unpack4x8unorm(e)`: what [`pack4x8unorm`] packs.
pub fn unpack4x8unorm(e: u32) -> Vec4 {
    never_executed()
}

/// `unpack2x16snorm(e)`: what [`pack2x16snorm`] packs.
pub fn unpack2x16snorm(e: u32) -> Vec2 {
    never_executed()
}

/// `unpack2x16unorm(e)`: what [`pack2x16unorm`] packs.
pub fn unpack2x16unorm(e: u32) -> Vec2 {
    never_executed()
}

/// `unpack2x16float(e)`: what [`pack2x16float`] packs.
pub fn unpack2x16float(e: u32) -> Vec2 {
    never_executed()
}

/// `unpack4xI8(e)`: what [`pack4x_i8`] packs.
pub fn unpack4x_i8(e: u32) -> IVec4 {
    never_executed()
}

/// `unpack4xU8(e)`: what [`pack4x_u8`] packs.
pub fn unpack4x_u8(e: u32) -> UVec4 {
    never_executed()
}
