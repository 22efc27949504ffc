//! WGSL's bit functions, on integers and on values packed into a `u32`.

use super::super::tree::Scalar::{F32, I32, U32};
use super::Emit::Call;
use super::Parameter::{Scalar, T, Vector};
use super::{Builtin, Class, row};

/// Creates the table row of a function that takes one integer or one vector of integers.
const fn integer(name: &'static str, function: &'static str) -> Builtin {
    row(name, Class::Integer, &[T], T, Call(function))
}

pub(super) const FUNCTIONS: &[Builtin] = &[
    integer("count_leading_zeros", "countLeadingZeros"),
    integer("count_one_bits", "countOneBits"),
    integer("count_trailing_zeros", "countTrailingZeros"),
    integer("first_leading_bit", "firstLeadingBit"),
    integer("first_trailing_bit", "firstTrailingBit"),
    integer("reverse_bits", "reverseBits"),
    row("extract_bits", Class::Integer, &[T, Scalar(U32), Scalar(U32)], T, Call("extractBits")),
    row("insert_bits", Class::Integer, &[T, T, Scalar(U32), Scalar(U32)], T, Call("insertBits")),
    row(
        "dot4_i8_packed",
        Class::None,
        &[Scalar(U32), Scalar(U32)],
        Scalar(I32),
        Call("dot4I8Packed"),
    ),
    row(
        "dot4_u8_packed",
        Class::None,
        &[Scalar(U32), Scalar(U32)],
        Scalar(U32),
        Call("dot4U8Packed"),
    ),
    row("pack4x8snorm", Class::None, &[Vector(4, F32)], Scalar(U32), Call("pack4x8snorm")),
    row("pack4x8unorm", Class::None, &[Vector(4, F32)], Scalar(U32), Call("pack4x8unorm")),
    row("pack2x16snorm", Class::None, &[Vector(2, F32)], Scalar(U32), Call("pack2x16snorm")),
    row("pack2x16unorm", Class::None, &[Vector(2, F32)], Scalar(U32), Call("pack2x16unorm")),
    row("pack2x16float", Class::None, &[Vector(2, F32)], Scalar(U32), Call("pack2x16float")),
    row("pack4x_i8", Class::None, &[Vector(4, I32)], Scalar(U32), Call("pack4xI8")),
    row("pack4x_u8", Class::None, &[Vector(4, U32)], Scalar(U32), Call("pack4xU8")),
    row("pack4x_i8_clamp", Class::None, &[Vector(4, I32)], Scalar(U32), Call("pack4xI8Clamp")),
    row("pack4x_u8_clamp", Class::None, &[Vector(4, U32)], Scalar(U32), Call("pack4xU8Clamp")),
    row("unpack4x8snorm", Class::None, &[Scalar(U32)], Vector(4, F32), Call("unpack4x8snorm")),
    row("unpack4x8unorm", Class::None, &[Scalar(U32)], Vector(4, F32), Call("unpack4x8unorm")),
    row("unpack2x16snorm", Class::None, &[Scalar(U32)], Vector(2, F32), Call("unpack2x16snorm")),
    row("unpack2x16unorm", Class::None, &[Scalar(U32)], Vector(2, F32), Call("unpack2x16unorm")),
    row("unpack2x16float", Class::None, &[Scalar(U32)], Vector(2, F32), Call("unpack2x16float")),
    row("unpack4x_i8", Class::None, &[Scalar(U32)], Vector(4, I32), Call("unpack4xI8")),
    row("unpack4x_u8", Class::None, &[Scalar(U32)], Vector(4, U32), Call("unpack4xU8")),
];
