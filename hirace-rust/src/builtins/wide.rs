//! `std`'s methods of `u64` and `i64`.
//!
//! WGSL's bit functions take 32-bit integers; for 64 bits they are applied to both halves.

use super::super::tree::Scalar as Kind;
use super::super::tree::Scalar::{Bool, F32, I64, U32, U64};
use super::super::tree::Type;
use super::Emit::{self, Call, Parts, Template};
use super::Parameter::{Scalar, T, Tuple};
use super::{Builtin, Class, row};

const BOTH: Class = Class::Only(&[1], &[I64, U64]);
const SIGNED: Class = Class::Only(&[1], &[I64]);
const UNSIGNED: Class = Class::Only(&[1], &[U64]);
const U: super::Parameter = Scalar(U32);
const WIDE: super::Parameter = Scalar(U64);

/// Creates the row of a bit count. The result is a `u32` in Rust, for every type.
const fn count(name: &'static str, template: &'static str) -> Builtin {
    row(name, BOTH, &[T], U, Template(template))
}

/// Creates the row of a method of two values of the same type.
const fn both(name: &'static str, emit: Emit) -> Builtin {
    row(name, BOTH, &[T, T], T, emit)
}

const fn signed(name: &'static str, template: &'static str) -> Builtin {
    row(name, SIGNED, &[T, T], T, Template(template))
}

const fn unsigned(name: &'static str, template: &'static str) -> Builtin {
    row(name, UNSIGNED, &[T, T], T, Template(template))
}

pub(super) const METHODS: &[Builtin] = &[
    row("abs", SIGNED, &[T], T, Call("abs")),
    both("min", Call("min")),
    both("max", Call("max")),
    row("clamp", BOTH, &[T, T, T], T, Call("clamp")),
    row("signum", SIGNED, &[T], T, Call("sign")),
    row("is_negative", SIGNED, &[T], Scalar(Bool), Template("({0} < 0li)")),
    row("is_positive", SIGNED, &[T], Scalar(Bool), Template("({0} > 0li)")),
    row("unsigned_abs", SIGNED, &[T], WIDE, Template("u64(abs({0}))")),
    row("abs_diff", BOTH, &[T, T], WIDE, Template("(u64(max({0}, {1})) - u64(min({0}, {1})))")),
    count("count_ones", "(countOneBits(u32({0})) + countOneBits(u32({0} >> 32u)))"),
    count("count_zeros", "(64u - countOneBits(u32({0})) - countOneBits(u32({0} >> 32u)))"),
    count(
        "leading_zeros",
        "select(countLeadingZeros(u32({0} >> 32u)), 32u + countLeadingZeros(u32({0})), u32({0} >> 32u) == 0u)",
    ),
    count(
        "leading_ones",
        "select(countLeadingZeros(~u32({0} >> 32u)), 32u + countLeadingZeros(~u32({0})), ~u32({0} >> 32u) == 0u)",
    ),
    count(
        "trailing_zeros",
        "select(countTrailingZeros(u32({0})), 32u + countTrailingZeros(u32({0} >> 32u)), u32({0}) == 0u)",
    ),
    count(
        "trailing_ones",
        "select(countTrailingZeros(~u32({0})), 32u + countTrailingZeros(~u32({0} >> 32u)), ~u32({0}) == 0u)",
    ),
    row(
        "reverse_bits",
        BOTH,
        &[T],
        T,
        Template("{T}((u64(reverseBits(u32({0}))) << 32u) | u64(reverseBits(u32({0} >> 32u))))"),
    ),
    row(
        "swap_bytes",
        BOTH,
        &[T],
        T,
        Template(
            "{T}((u64(pack4xU8(unpack4xU8(u32({0})).wzyx)) << 32u) | u64(pack4xU8(unpack4xU8(u32({0} >> 32u)).wzyx)))",
        ),
    ),
    // For a rotation by 0, both shifts return the value itself.
    row(
        "rotate_left",
        BOTH,
        &[T, U],
        T,
        Template("{T}((u64({0}) << ({1} & 63u)) | (u64({0}) >> ((64u - ({1} & 63u)) & 63u)))"),
    ),
    row(
        "rotate_right",
        BOTH,
        &[T, U],
        T,
        Template("{T}((u64({0}) >> ({1} & 63u)) | (u64({0}) << ((64u - ({1} & 63u)) & 63u)))"),
    ),
    row("cast_signed", UNSIGNED, &[T], Scalar(I64), Template("i64({0})")),
    row("cast_unsigned", SIGNED, &[T], WIDE, Template("u64({0})")),
    both("wrapping_add", Template("({0} + {1})")),
    both("wrapping_sub", Template("({0} - {1})")),
    both("wrapping_mul", Template("({0} * {1})")),
    both("wrapping_div", Template("({0} / {1})")),
    both("wrapping_rem", Template("({0} % {1})")),
    row("wrapping_neg", SIGNED, &[T], T, Template("(-{0})")),
    row("wrapping_neg", UNSIGNED, &[T], T, Template("(~{0} + 1lu)")),
    row("wrapping_abs", SIGNED, &[T], T, Call("abs")),
    row("wrapping_shl", BOTH, &[T, U], T, Template("({0} << ({1} & 63u))")),
    row("wrapping_shr", BOTH, &[T, U], T, Template("({0} >> ({1} & 63u))")),
    row("wrapping_add_unsigned", SIGNED, &[T, WIDE], T, Template("({0} + i64({1}))")),
    row("wrapping_sub_unsigned", SIGNED, &[T, WIDE], T, Template("({0} - i64({1}))")),
    row("wrapping_add_signed", UNSIGNED, &[T, Scalar(I64)], T, Template("({0} + u64({1}))")),
    unsigned("saturating_add", "(min({0}, ~{1}) + {1})"),
    unsigned("saturating_sub", "(max({0}, {1}) - {1})"),
    // The second argument is clamped to the range that can be added without overflow.
    signed(
        "saturating_add",
        "({0} + clamp({1}, i64(-9223372036854775807 - 1) - min({0}, 0li), 9223372036854775807li - max({0}, 0li)))",
    ),
    signed(
        "saturating_sub",
        "({0} - clamp({1}, max({0}, -1li) - 9223372036854775807li, min({0}, -1li) - i64(-9223372036854775807 - 1)))",
    ),
    row(
        "overflowing_add",
        UNSIGNED,
        &[T, T],
        Tuple(&[T, Scalar(Bool)]),
        Parts(&["({0} + {1})", "({0} > ~{1})"]),
    ),
    row(
        "overflowing_sub",
        UNSIGNED,
        &[T, T],
        Tuple(&[T, Scalar(Bool)]),
        Parts(&["({0} - {1})", "({0} < {1})"]),
    ),
    unsigned("rem_euclid", "({0} % {1})"),
    unsigned("div_euclid", "({0} / {1})"),
    signed("rem_euclid", "(({0} % {1}) + select(0li, abs({1}), ({0} % {1}) < 0li))"),
    signed("div_euclid", "(({0} / {1}) - select(0li, sign({1}), ({0} % {1}) < 0li))"),
    unsigned("div_ceil", "(({0} / {1}) + select(0lu, 1lu, ({0} % {1}) != 0lu))"),
    unsigned("next_multiple_of", "((({0} / {1}) + select(0lu, 1lu, ({0} % {1}) != 0lu)) * {1})"),
    row(
        "is_multiple_of",
        UNSIGNED,
        &[T, T],
        Scalar(Bool),
        Template("select({0} == 0lu, ({0} % max({1}, 1lu)) == 0lu, {1} != 0lu)"),
    ),
    row(
        "is_power_of_two",
        UNSIGNED,
        &[T],
        Scalar(Bool),
        Template("({0} != 0lu && ({0} & ({0} - 1lu)) == 0lu)"),
    ),
    unsigned("midpoint", "(({0} & {1}) + (({0} ^ {1}) >> 1u))"),
];

/// `as` on a float: the nearest value of the integer type, and 0 for NaN. WGSL's own conversion is limited to the
/// greatest value that an `f32` can represent, and leaves the other cases unspecified.
static OF_FLOAT: [Builtin; 2] = [
    row(
        "as u64",
        Class::Only(&[1], &[F32]),
        &[T],
        WIDE,
        Template(
            "select(select(u64({0}), 18446744073709551615lu, {0} >= 0x1p64f), 0lu, (bitcast<u32>({0}) & 0x7fffffffu) > 0x7f800000u)",
        ),
    ),
    row(
        "as i64",
        Class::Only(&[1], &[F32]),
        &[T],
        Scalar(I64),
        Template(
            "select(select(i64({0}), 9223372036854775807li, {0} >= 0x1p63f), 0li, (bitcast<u32>({0}) & 0x7fffffffu) > 0x7f800000u)",
        ),
    ),
];

/// Returns the conversion from a float to a 64-bit integer, if this is one.
pub fn float_conversion(from: &Type, to: &Type) -> Option<&'static Builtin> {
    match (from, to) {
        (Type::Scalar(Kind::F32), Type::Scalar(Kind::U64)) => Some(&OF_FLOAT[0]),
        (Type::Scalar(Kind::F32), Type::Scalar(Kind::I64)) => Some(&OF_FLOAT[1]),
        _ => None,
    }
}
