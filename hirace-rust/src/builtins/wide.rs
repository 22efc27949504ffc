//! `std`'s methods of `u64` and `i64`.
//!
//! WGSL's bit functions take 32-bit integers; for 64 bits they are applied to both halves.

use super::Emit::{Call, Parts, Template};
use super::Parameter::{Scalar, T, Tuple};
use super::{Builtin, Class};
use crate::types::Scalar as Kind;
use crate::types::Scalar::{Bool, F32, I64, U32, U64};
use crate::types::Type;

const BOTH: Class = Class::Only(&[1], &[I64, U64]);
const SIGNED: Class = Class::Only(&[1], &[I64]);
const UNSIGNED: Class = Class::Only(&[1], &[U64]);
const U: super::Parameter = Scalar(U32);
const WIDE: super::Parameter = Scalar(U64);

pub(super) const METHODS: &[Builtin] = table! {
    "abs": SIGNED, [T] => T, Call("abs");
    "min": BOTH, [T, T] => T, Call("min");
    "max": BOTH, [T, T] => T, Call("max");
    "clamp": BOTH, [T, T, T] => T, Call("clamp");
    "signum": SIGNED, [T] => T, Call("sign");
    "is_negative": SIGNED, [T] => Scalar(Bool), Template("({0} < 0li)");
    "is_positive": SIGNED, [T] => Scalar(Bool), Template("({0} > 0li)");
    "unsigned_abs": SIGNED, [T] => WIDE, Template("u64(abs({0}))");
    "abs_diff": BOTH, [T, T] => WIDE, Template("(u64(max({0}, {1})) - u64(min({0}, {1})))");
    "count_ones": BOTH, [T] => U, Template("(countOneBits(u32({0})) + countOneBits(u32({0} >> 32u)))");
    "count_zeros": BOTH, [T] => U, Template("(64u - countOneBits(u32({0})) - countOneBits(u32({0} >> 32u)))");
    "leading_zeros": BOTH, [T] => U,
        Template("select(countLeadingZeros(u32({0} >> 32u)), 32u + countLeadingZeros(u32({0})), u32({0} >> 32u) == 0u)");
    "leading_ones": BOTH, [T] => U,
        Template("select(countLeadingZeros(~u32({0} >> 32u)), 32u + countLeadingZeros(~u32({0})), ~u32({0} >> 32u) == 0u)");
    "trailing_zeros": BOTH, [T] => U,
        Template("select(countTrailingZeros(u32({0})), 32u + countTrailingZeros(u32({0} >> 32u)), u32({0}) == 0u)");
    "trailing_ones": BOTH, [T] => U,
        Template("select(countTrailingZeros(~u32({0})), 32u + countTrailingZeros(~u32({0} >> 32u)), ~u32({0}) == 0u)");
    "reverse_bits": BOTH, [T] => T, Template("{T}((u64(reverseBits(u32({0}))) << 32u) | u64(reverseBits(u32({0} >> 32u))))");
    "swap_bytes": BOTH, [T] => T,
        Template("{T}((u64(pack4xU8(unpack4xU8(u32({0})).wzyx)) << 32u) | u64(pack4xU8(unpack4xU8(u32({0} >> 32u)).wzyx)))");
    // For a rotation by 0, both shifts return the value itself.
    "rotate_left": BOTH, [T, U] => T, Template("{T}((u64({0}) << ({1} & 63u)) | (u64({0}) >> ((64u - ({1} & 63u)) & 63u)))");
    "rotate_right": BOTH, [T, U] => T, Template("{T}((u64({0}) >> ({1} & 63u)) | (u64({0}) << ((64u - ({1} & 63u)) & 63u)))");
    "cast_signed": UNSIGNED, [T] => Scalar(I64), Template("i64({0})");
    "cast_unsigned": SIGNED, [T] => WIDE, Template("u64({0})");
    "wrapping_add": BOTH, [T, T] => T, Template("({0} + {1})");
    "wrapping_sub": BOTH, [T, T] => T, Template("({0} - {1})");
    "wrapping_mul": BOTH, [T, T] => T, Template("({0} * {1})");
    "wrapping_div": BOTH, [T, T] => T, Template("({0} / {1})");
    "wrapping_rem": BOTH, [T, T] => T, Template("({0} % {1})");
    "wrapping_neg": SIGNED, [T] => T, Template("(-{0})");
    "wrapping_neg": UNSIGNED, [T] => T, Template("(~{0} + 1lu)");
    "wrapping_abs": SIGNED, [T] => T, Call("abs");
    "wrapping_shl": BOTH, [T, U] => T, Template("({0} << ({1} & 63u))");
    "wrapping_shr": BOTH, [T, U] => T, Template("({0} >> ({1} & 63u))");
    "wrapping_add_unsigned": SIGNED, [T, WIDE] => T, Template("({0} + i64({1}))");
    "wrapping_sub_unsigned": SIGNED, [T, WIDE] => T, Template("({0} - i64({1}))");
    "wrapping_add_signed": UNSIGNED, [T, Scalar(I64)] => T, Template("({0} + u64({1}))");
    "saturating_add": UNSIGNED, [T, T] => T, Template("(min({0}, ~{1}) + {1})");
    "saturating_sub": UNSIGNED, [T, T] => T, Template("(max({0}, {1}) - {1})");
    // The second argument is clamped to the range that can be added without overflow.
    "saturating_add": SIGNED, [T, T] => T,
        Template("({0} + clamp({1}, i64(-9223372036854775807 - 1) - min({0}, 0li), 9223372036854775807li - max({0}, 0li)))");
    "saturating_sub": SIGNED, [T, T] => T,
        Template("({0} - clamp({1}, max({0}, -1li) - 9223372036854775807li, min({0}, -1li) - i64(-9223372036854775807 - 1)))");
    "overflowing_add": UNSIGNED, [T, T] => Tuple(&[T, Scalar(Bool)]), Parts(&["({0} + {1})", "({0} > ~{1})"]);
    "overflowing_sub": UNSIGNED, [T, T] => Tuple(&[T, Scalar(Bool)]), Parts(&["({0} - {1})", "({0} < {1})"]);
    "rem_euclid": UNSIGNED, [T, T] => T, Template("({0} % {1})");
    "div_euclid": UNSIGNED, [T, T] => T, Template("({0} / {1})");
    "rem_euclid": SIGNED, [T, T] => T, Template("(({0} % {1}) + select(0li, abs({1}), ({0} % {1}) < 0li))");
    "div_euclid": SIGNED, [T, T] => T, Template("(({0} / {1}) - select(0li, sign({1}), ({0} % {1}) < 0li))");
    "div_ceil": UNSIGNED, [T, T] => T, Template("(({0} / {1}) + select(0lu, 1lu, ({0} % {1}) != 0lu))");
    "next_multiple_of": UNSIGNED, [T, T] => T, Template("((({0} / {1}) + select(0lu, 1lu, ({0} % {1}) != 0lu)) * {1})");
    "is_multiple_of": UNSIGNED, [T, T] => Scalar(Bool),
        Template("select({0} == 0lu, ({0} % max({1}, 1lu)) == 0lu, {1} != 0lu)");
    "is_power_of_two": UNSIGNED, [T] => Scalar(Bool), Template("({0} != 0lu && ({0} & ({0} - 1lu)) == 0lu)");
    "midpoint": UNSIGNED, [T, T] => T, Template("(({0} & {1}) + (({0} ^ {1}) >> 1u))");
};

/// `as` on a float: the nearest value of the integer type, and 0 for NaN. WGSL's own conversion is limited to the
/// greatest value that an `f32` can represent, and leaves the other cases unspecified.
static OF_FLOAT: &[Builtin] = table! {
    "as u64": Class::Only(&[1], &[F32]), [T] => WIDE,
        Template("select(select(u64({0}), 18446744073709551615lu, {0} >= 0x1p64f), 0lu, (bitcast<u32>({0}) & 0x7fffffffu) > 0x7f800000u)");
    "as i64": Class::Only(&[1], &[F32]), [T] => Scalar(I64),
        Template("select(select(i64({0}), 9223372036854775807li, {0} >= 0x1p63f), 0li, (bitcast<u32>({0}) & 0x7fffffffu) > 0x7f800000u)");
};

/// Returns the conversion from a float to a 64-bit integer, if this is one.
pub fn float_conversion(from: &Type, to: &Type) -> Option<&'static Builtin> {
    match (from, to) {
        (Type::Scalar(Kind::F32), Type::Scalar(Kind::U64)) => Some(&OF_FLOAT[0]),
        (Type::Scalar(Kind::F32), Type::Scalar(Kind::I64)) => Some(&OF_FLOAT[1]),
        _ => None,
    }
}
