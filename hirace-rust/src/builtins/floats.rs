//! The methods of `f32` in `std`, and those of glam that apply to each component of a vector.
//!
//! If the WGSL function of the same name gives another result, a template computes the result of Rust.

use super::Emit::{Call, Parts, Template};
use super::Parameter::{Element, Like, Scalar, T, Tuple};
use super::{Builtin, Class};
use crate::types::Scalar::{Bool, F32, I32, U32};

/// The class of functions of `f32` that have no vector form.
const F32_ONLY: Class = Class::Only(&[1], &[F32]);

/// The template of `powf`. WGSL's `pow` does not accept a negative base and is inexact for the exponent 0.
const POWF: super::Emit = Template(
    "(select(pow(abs({0}), {T}({1})), {T}(1.0), {1} == 0.0) * select({T}(1.0), {T}(-1.0), ({0} < {T}(0.0)) & {B}(fract({1} * 0.5) != 0.0)))",
);

pub(super) const METHODS: &[Builtin] = table! {
    "abs": Class::Signed, [T] => T, Call("abs");
    "min": Class::Numeric, [T, T] => T, Call("min");
    "max": Class::Numeric, [T, T] => T, Call("max");
    "clamp": Class::Numeric, [T, T, T] => T, Call("clamp");
    "ceil": Class::Float, [T] => T, Call("ceil");
    "floor": Class::Float, [T] => T, Call("floor");
    "trunc": Class::Float, [T] => T, Call("trunc");
    // WGSL rounds halfway cases to even.
    "round": Class::Float, [T] => T, Template("select(trunc({0}), trunc({0}) + sign({0}), abs({0} - trunc({0})) >= {T}(0.5))");
    "round_ties_even": F32_ONLY, [T] => T, Call("round");
    // WGSL's `fract` is `x - floor(x)`.
    "fract": Class::Float, [T] => T, Template("({0} - trunc({0}))");
    "fract_gl": Class::FloatVector, [T] => T, Call("fract");
    // The result is never 0, even for 0.
    "signum": Class::Float, [T] => T, Template("select({T}(-1.0), {T}(1.0), (bitcast<{U}>({0}) >> {U}(31u)) == {U}(0u))");
    "copysign": Class::Float, [T, T] => T,
        Template("bitcast<{T}>((bitcast<{U}>({0}) & {U}(0x7fffffffu)) | (bitcast<{U}>({1}) & {U}(0x80000000u)))");
    "sqrt": Class::Float, [T] => T, Call("sqrt");
    "exp": Class::Float, [T] => T, Call("exp");
    "exp2": Class::Float, [T] => T, Call("exp2");
    "ln": Class::Float, [T] => T, Call("log");
    "log2": Class::Float, [T] => T, Call("log2");
    "log10": F32_ONLY, [T] => T, Template("(log2({0}) * 0.30102999566f)");
    "log": F32_ONLY, [T, T] => T, Template("(log2({0}) / log2({1}))");
    "powf": Class::Float, [T, Element] => T, POWF;
    "powi": F32_ONLY, [T, Scalar(I32)] => T,
        Template("(select(pow(abs({0}), f32({1})), 1.0, {1} == 0) * select(1.0, -1.0, ({0} < 0.0) && (({1} & 1) != 0)))");
    "cbrt": F32_ONLY, [T] => T, Template("(sign({0}) * pow(abs({0}), 0.33333333333f))");
    // The computation avoids intermediate overflow.
    "hypot": F32_ONLY, [T, T] => T,
        Template("(max(abs({0}), abs({1})) * length(vec2<f32>(1.0, min(abs({0}), abs({1})) / max(max(abs({0}), abs({1})), 0x1p-126f))))");
    "sin": Class::Float, [T] => T, Call("sin");
    "cos": Class::Float, [T] => T, Call("cos");
    "sin_cos": Class::Float, [T] => Tuple(&[T, T]), Parts(&["sin({0})", "cos({0})"]);
    "tan": F32_ONLY, [T] => T, Call("tan");
    "asin": F32_ONLY, [T] => T, Call("asin");
    "acos": F32_ONLY, [T] => T, Call("acos");
    "atan": F32_ONLY, [T] => T, Call("atan");
    "atan2": F32_ONLY, [T, T] => T, Call("atan2");
    "sinh": F32_ONLY, [T] => T, Call("sinh");
    "cosh": F32_ONLY, [T] => T, Call("cosh");
    "tanh": F32_ONLY, [T] => T, Call("tanh");
    "asinh": F32_ONLY, [T] => T, Call("asinh");
    "acosh": F32_ONLY, [T] => T, Call("acosh");
    "atanh": F32_ONLY, [T] => T, Call("atanh");
    "to_degrees": F32_ONLY, [T] => T, Call("degrees");
    "to_radians": F32_ONLY, [T] => T, Call("radians");
    "recip": Class::Float, [T] => T, Template("(1.0 / {0})");
    "mul_add": Class::Float, [T, T, T] => T, Call("fma");
    "midpoint": Class::Float, [T, T] => T, Template("({0} * 0.5 + {1} * 0.5)");
    "rem_euclid": Class::Float, [T, T] => T, Template("select({0} % {1}, ({0} % {1}) + abs({1}), ({0} % {1}) < {T}(0.0))");
    "div_euclid": Class::Float, [T, T] => T,
        Template("(trunc({0} / {1}) - select({T}(0.0), sign({1}), ({0} % {1}) < {T}(0.0)))");
    "to_bits": F32_ONLY, [T] => Scalar(U32), Template("bitcast<u32>({0})");
    // WGSL implementations may assume that NaNs and infinities do not occur, so the test is on the bits.
    "is_nan": Class::Float, [T] => Scalar(Bool), Template("any((bitcast<{U}>({0}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))");
    "is_finite": Class::Float, [T] => Scalar(Bool), Template("all((bitcast<{U}>({0}) & {U}(0x7fffffffu)) < {U}(0x7f800000u))");
    "is_infinite": F32_ONLY, [T] => Scalar(Bool), Template("((bitcast<u32>({0}) & 0x7fffffffu) == 0x7f800000u)");
    "is_sign_negative": F32_ONLY, [T] => Scalar(Bool), Template("((bitcast<u32>({0}) >> 31u) == 1u)");
    "is_sign_positive": F32_ONLY, [T] => Scalar(Bool), Template("((bitcast<u32>({0}) >> 31u) == 0u)");
    "is_nan_mask": Class::FloatVector, [T] => Like(Bool),
        Template("((bitcast<{U}>({0}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))");
    "is_finite_mask": Class::FloatVector, [T] => Like(Bool),
        Template("((bitcast<{U}>({0}) & {U}(0x7fffffffu)) < {U}(0x7f800000u))");
    "is_negative_mask": Class::FloatVector, [T] => Like(Bool), Template("((bitcast<{U}>({0}) >> {U}(31u)) == {U}(1u))");
    "is_negative_mask": Class::Only(&[2, 3, 4], &[I32]), [T] => Like(Bool), Template("({0} < {T}(0))");
};

pub(super) const ASSOCIATED: &[Builtin] = table! {
    "from_bits": F32_ONLY, [Scalar(U32)] => T, Template("bitcast<f32>({0})");
};
