//! `std`'s methods of `i32` and `u32`, and those that glam has for their vectors.
//!
//! WGSL's arithmetic wraps, and its shifts take the shift amount modulo 32. Overflow in constant expressions is an
//! error in WGSL; only the methods that Rust calls wrapping rely on arithmetic that may overflow.

use super::Emit::{Call, Parts, Template};
use super::Parameter::{Like, Scalar, T, Tuple};
use super::{Builtin, Class};
use crate::types::Scalar as Kind;
use crate::types::Scalar::{Bool, I32, U32};

/// `i32` and `u32`.
const BOTH: Class = Class::Only(&[1], &[I32, U32]);
const SIGNED: Class = Class::Only(&[1], &[I32]);
const UNSIGNED: Class = Class::Only(&[1], &[U32]);
const EACH_SIGNED: Class = Class::Only(&[1, 2, 3, 4], &[I32]);
const EACH_UNSIGNED: Class = Class::Only(&[1, 2, 3, 4], &[U32]);
const U: super::Parameter = Scalar(Kind::U32);

pub(super) const METHODS: &[Builtin] = table! {
    "signum": EACH_SIGNED, [T] => T, Call("sign");
    "is_negative": SIGNED, [T] => Scalar(Bool), Template("({0} < 0)");
    "is_positive": SIGNED, [T] => Scalar(Bool), Template("({0} > 0)");
    "unsigned_abs": SIGNED, [T] => Like(Kind::U32), Template("bitcast<u32>(abs({0}))");
    "abs_diff": BOTH, [T, T] => Like(Kind::U32), Template("(bitcast<u32>(max({0}, {1})) - bitcast<u32>(min({0}, {1})))");
    "count_ones": BOTH, [T] => U, Template("u32(countOneBits({0}))");
    "count_zeros": BOTH, [T] => U, Template("u32(countOneBits(~{0}))");
    "leading_zeros": BOTH, [T] => U, Template("u32(countLeadingZeros({0}))");
    "leading_ones": BOTH, [T] => U, Template("u32(countLeadingZeros(~{0}))");
    "trailing_zeros": BOTH, [T] => U, Template("u32(countTrailingZeros({0}))");
    "trailing_ones": BOTH, [T] => U, Template("u32(countTrailingZeros(~{0}))");
    "reverse_bits": BOTH, [T] => T, Call("reverseBits");
    "swap_bytes": BOTH, [T] => T, Template("bitcast<{T}>(pack4xU8(unpack4xU8(bitcast<u32>({0})).wzyx))");
    // For a rotation by 0, both shifts return the value itself.
    "rotate_left": BOTH, [T, U] => T,
        Template("bitcast<{T}>((bitcast<u32>({0}) << ({1} & 31u)) | (bitcast<u32>({0}) >> ((32u - ({1} & 31u)) & 31u)))");
    "rotate_right": BOTH, [T, U] => T,
        Template("bitcast<{T}>((bitcast<u32>({0}) >> ({1} & 31u)) | (bitcast<u32>({0}) << ((32u - ({1} & 31u)) & 31u)))");
    "cast_signed": UNSIGNED, [T] => Like(I32), Template("bitcast<i32>({0})");
    "cast_unsigned": SIGNED, [T] => Like(Kind::U32), Template("bitcast<u32>({0})");
    "wrapping_add": Class::Integer, [T, T] => T, Template("({0} + {1})");
    "wrapping_sub": Class::Integer, [T, T] => T, Template("({0} - {1})");
    "wrapping_mul": Class::Integer, [T, T] => T, Template("({0} * {1})");
    "wrapping_div": Class::Integer, [T, T] => T, Template("({0} / {1})");
    "wrapping_rem": BOTH, [T, T] => T, Template("({0} % {1})");
    "wrapping_neg": SIGNED, [T] => T, Template("(-{0})");
    "wrapping_neg": UNSIGNED, [T] => T, Template("(~{0} + 1u)");
    "wrapping_abs": SIGNED, [T] => T, Call("abs");
    "wrapping_shl": BOTH, [T, U] => T, Template("({0} << ({1} & 31u))");
    "wrapping_shr": BOTH, [T, U] => T, Template("({0} >> ({1} & 31u))");
    "wrapping_add_unsigned": EACH_SIGNED, [T, Like(U32)] => T, Template("({0} + bitcast<{T}>({1}))");
    "wrapping_sub_unsigned": EACH_SIGNED, [T, Like(U32)] => T, Template("({0} - bitcast<{T}>({1}))");
    "wrapping_add_signed": EACH_UNSIGNED, [T, Like(I32)] => T, Template("({0} + bitcast<{T}>({1}))");
    "saturating_add": EACH_UNSIGNED, [T, T] => T, Template("(min({0}, ~{1}) + {1})");
    "saturating_sub": EACH_UNSIGNED, [T, T] => T, Template("(max({0}, {1}) - {1})");
    // The second argument is clamped to the range that can be added without overflow.
    "saturating_add": EACH_SIGNED, [T, T] => T,
        Template("({0} + clamp({1}, {T}(-2147483648) - min({0}, {T}(0)), {T}(2147483647) - max({0}, {T}(0))))");
    "saturating_sub": EACH_SIGNED, [T, T] => T,
        Template("({0} - clamp({1}, max({0}, {T}(-1)) - {T}(2147483647), min({0}, {T}(-1)) - {T}(-2147483648)))");
    "overflowing_add": UNSIGNED, [T, T] => Tuple(&[T, Scalar(Bool)]), Parts(&["({0} + {1})", "({0} > ~{1})"]);
    "overflowing_sub": UNSIGNED, [T, T] => Tuple(&[T, Scalar(Bool)]), Parts(&["({0} - {1})", "({0} < {1})"]);
    "rem_euclid": UNSIGNED, [T, T] => T, Template("({0} % {1})");
    "div_euclid": UNSIGNED, [T, T] => T, Template("({0} / {1})");
    "rem_euclid": EACH_SIGNED, [T, T] => T, Template("(({0} % {1}) + select({T}(0), abs({1}), ({0} % {1}) < {T}(0)))");
    "div_euclid": EACH_SIGNED, [T, T] => T, Template("(({0} / {1}) - select({T}(0), sign({1}), ({0} % {1}) < {T}(0)))");
    "div_ceil": UNSIGNED, [T, T] => T, Template("(({0} / {1}) + select(0u, 1u, ({0} % {1}) != 0u))");
    "next_multiple_of": UNSIGNED, [T, T] => T, Template("((({0} / {1}) + select(0u, 1u, ({0} % {1}) != 0u)) * {1})");
    "is_multiple_of": UNSIGNED, [T, T] => Scalar(Bool), Template("select({0} == 0u, ({0} % max({1}, 1u)) == 0u, {1} != 0u)");
    "is_power_of_two": UNSIGNED, [T] => Scalar(Bool), Template("(countOneBits({0}) == 1u)");
    "next_power_of_two": UNSIGNED, [T] => T, Template("(1u << ((32u - countLeadingZeros(max({0}, 1u) - 1u)) & 31u))");
    "ilog2": BOTH, [T] => U, Template("(31u - min(u32(countLeadingZeros({0})), 31u))");
    "midpoint": UNSIGNED, [T, T] => T, Template("(({0} & {1}) + (({0} ^ {1}) >> 1u))");
};
