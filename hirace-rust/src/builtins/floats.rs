//! `std`'s methods of `f32`, and those that glam has for its vectors by component.
//!
//! If WGSL's function of the same name has another result, the template implements Rust's.

use super::super::tree::Scalar::{Bool, F32, I32, U32};
use super::Emit::{Call, Parts, Template};
use super::Parameter::{Element, Like, Scalar, T, Tuple};
use super::{Builtin, Class, row};

/// `f32` only.
const ONE: Class = Class::Only(&[1], &[F32]);

/// Creates the row of a method of `f32` and its vectors.
const fn each(name: &'static str, emit: super::Emit) -> Builtin {
    row(name, Class::Float, &[T], T, emit)
}

/// Creates the row of a method of `f32` only.
const fn one(name: &'static str, emit: super::Emit) -> Builtin {
    row(name, ONE, &[T], T, emit)
}

/// A power. WGSL's `pow` does not accept a negative base and is inexact for the exponent 0.
const POWF: super::Emit = Template(
    "(select(pow(abs({0}), {T}({1})), {T}(1.0), {1} == 0.0) * select({T}(1.0), {T}(-1.0), ({0} < {T}(0.0)) & {B}(fract({1} * 0.5) != 0.0)))",
);

pub(super) const METHODS: &[Builtin] = &[
    row("abs", Class::Signed, &[T], T, Call("abs")),
    row("min", Class::Numeric, &[T, T], T, Call("min")),
    row("max", Class::Numeric, &[T, T], T, Call("max")),
    row("clamp", Class::Numeric, &[T, T, T], T, Call("clamp")),
    each("ceil", Call("ceil")),
    each("floor", Call("floor")),
    each("trunc", Call("trunc")),
    // WGSL rounds halfway cases to even.
    each(
        "round",
        Template("select(trunc({0}), trunc({0}) + sign({0}), abs({0} - trunc({0})) >= {T}(0.5))"),
    ),
    one("round_ties_even", Call("round")),
    // WGSL's `fract` is `x - floor(x)`.
    each("fract", Template("({0} - trunc({0}))")),
    row("fract_gl", Class::FloatVector, &[T], T, Call("fract")),
    // The result is never 0, even for 0.
    each(
        "signum",
        Template("select({T}(-1.0), {T}(1.0), (bitcast<{U}>({0}) >> {U}(31u)) == {U}(0u))"),
    ),
    row(
        "copysign",
        Class::Float,
        &[T, T],
        T,
        Template(
            "bitcast<{T}>((bitcast<{U}>({0}) & {U}(0x7fffffffu)) | (bitcast<{U}>({1}) & {U}(0x80000000u)))",
        ),
    ),
    each("sqrt", Call("sqrt")),
    each("exp", Call("exp")),
    each("exp2", Call("exp2")),
    each("ln", Call("log")),
    each("log2", Call("log2")),
    one("log10", Template("(log2({0}) * 0.30102999566f)")),
    row("log", ONE, &[T, T], T, Template("(log2({0}) / log2({1}))")),
    row("powf", Class::Float, &[T, Element], T, POWF),
    row(
        "powi",
        ONE,
        &[T, Scalar(I32)],
        T,
        Template(
            "(select(pow(abs({0}), f32({1})), 1.0, {1} == 0) * select(1.0, -1.0, ({0} < 0.0) && (({1} & 1) != 0)))",
        ),
    ),
    one("cbrt", Template("(sign({0}) * pow(abs({0}), 0.33333333333f))")),
    // The computation avoids intermediate overflow.
    row(
        "hypot",
        ONE,
        &[T, T],
        T,
        Template(
            "(max(abs({0}), abs({1})) * length(vec2<f32>(1.0, min(abs({0}), abs({1})) / max(max(abs({0}), abs({1})), 0x1p-126f))))",
        ),
    ),
    each("sin", Call("sin")),
    each("cos", Call("cos")),
    row("sin_cos", Class::Float, &[T], Tuple(&[T, T]), Parts(&["sin({0})", "cos({0})"])),
    one("tan", Call("tan")),
    one("asin", Call("asin")),
    one("acos", Call("acos")),
    one("atan", Call("atan")),
    row("atan2", ONE, &[T, T], T, Call("atan2")),
    one("sinh", Call("sinh")),
    one("cosh", Call("cosh")),
    one("tanh", Call("tanh")),
    one("asinh", Call("asinh")),
    one("acosh", Call("acosh")),
    one("atanh", Call("atanh")),
    one("to_degrees", Call("degrees")),
    one("to_radians", Call("radians")),
    each("recip", Template("(1.0 / {0})")),
    row("mul_add", Class::Float, &[T, T, T], T, Call("fma")),
    row("midpoint", Class::Float, &[T, T], T, Template("({0} * 0.5 + {1} * 0.5)")),
    row(
        "rem_euclid",
        Class::Float,
        &[T, T],
        T,
        Template("select({0} % {1}, ({0} % {1}) + abs({1}), ({0} % {1}) < {T}(0.0))"),
    ),
    row(
        "div_euclid",
        Class::Float,
        &[T, T],
        T,
        Template("(trunc({0} / {1}) - select({T}(0.0), sign({1}), ({0} % {1}) < {T}(0.0)))"),
    ),
    row("to_bits", ONE, &[T], Scalar(U32), Template("bitcast<u32>({0})")),
    // WGSL implementations may assume that NaNs and infinities do not occur, so the test is on the bits.
    row(
        "is_nan",
        Class::Float,
        &[T],
        Scalar(Bool),
        Template("any((bitcast<{U}>({0}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))"),
    ),
    row(
        "is_finite",
        Class::Float,
        &[T],
        Scalar(Bool),
        Template("all((bitcast<{U}>({0}) & {U}(0x7fffffffu)) < {U}(0x7f800000u))"),
    ),
    row(
        "is_infinite",
        ONE,
        &[T],
        Scalar(Bool),
        Template("((bitcast<u32>({0}) & 0x7fffffffu) == 0x7f800000u)"),
    ),
    row(
        "is_sign_negative",
        ONE,
        &[T],
        Scalar(Bool),
        Template("((bitcast<u32>({0}) >> 31u) == 1u)"),
    ),
    row(
        "is_sign_positive",
        ONE,
        &[T],
        Scalar(Bool),
        Template("((bitcast<u32>({0}) >> 31u) == 0u)"),
    ),
    row(
        "is_nan_mask",
        Class::FloatVector,
        &[T],
        Like(Bool),
        Template("((bitcast<{U}>({0}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))"),
    ),
    row(
        "is_finite_mask",
        Class::FloatVector,
        &[T],
        Like(Bool),
        Template("((bitcast<{U}>({0}) & {U}(0x7fffffffu)) < {U}(0x7f800000u))"),
    ),
    row(
        "is_negative_mask",
        Class::FloatVector,
        &[T],
        Like(Bool),
        Template("((bitcast<{U}>({0}) >> {U}(31u)) == {U}(1u))"),
    ),
    row(
        "is_negative_mask",
        Class::Only(&[2, 3, 4], &[I32]),
        &[T],
        Like(Bool),
        Template("({0} < {T}(0))"),
    ),
];

pub(super) const ASSOCIATED: &[Builtin] =
    &[row("from_bits", ONE, &[Scalar(U32)], T, Template("bitcast<f32>({0})"))];
