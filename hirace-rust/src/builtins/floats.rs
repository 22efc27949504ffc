//! `std`'s methods of `f32`, and those that glam has for its vectors by component.
//!
//! If WGSL's function of the same name has another result, the template implements Rust's.

use super::Emit::{Call, Parts, Template};
use super::Parameter::{Element, Like, Scalar, T, Tuple};
use super::{Builtin, Class};
use crate::types::Scalar::{Bool, F32, I32, U32};

/// `f32` only.
const ONE: Class = Class::Only(&[1], &[F32]);

/// A power. WGSL's `pow` does not accept a negative base and is inexact for the exponent 0.
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
    "round_ties_even": ONE, [T] => T, Call("round");
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
    "log10": ONE, [T] => T, Template("(log2({0}) * 0.30102999566f)");
    "log": ONE, [T, T] => T, Template("(log2({0}) / log2({1}))");
    "powf": Class::Float, [T, Element] => T, POWF;
    "powi": ONE, [T, Scalar(I32)] => T,
        Template("(select(pow(abs({0}), f32({1})), 1.0, {1} == 0) * select(1.0, -1.0, ({0} < 0.0) && (({1} & 1) != 0)))");
    "cbrt": ONE, [T] => T, Template("(sign({0}) * pow(abs({0}), 0.33333333333f))");
    // The computation avoids intermediate overflow.
    "hypot": ONE, [T, T] => T,
        Template("(max(abs({0}), abs({1})) * length(vec2<f32>(1.0, min(abs({0}), abs({1})) / max(max(abs({0}), abs({1})), 0x1p-126f))))");
    "sin": Class::Float, [T] => T, Call("sin");
    "cos": Class::Float, [T] => T, Call("cos");
    "sin_cos": Class::Float, [T] => Tuple(&[T, T]), Parts(&["sin({0})", "cos({0})"]);
    "tan": ONE, [T] => T, Call("tan");
    "asin": ONE, [T] => T, Call("asin");
    "acos": ONE, [T] => T, Call("acos");
    "atan": ONE, [T] => T, Call("atan");
    "atan2": ONE, [T, T] => T, Call("atan2");
    "sinh": ONE, [T] => T, Call("sinh");
    "cosh": ONE, [T] => T, Call("cosh");
    "tanh": ONE, [T] => T, Call("tanh");
    "asinh": ONE, [T] => T, Call("asinh");
    "acosh": ONE, [T] => T, Call("acosh");
    "atanh": ONE, [T] => T, Call("atanh");
    "to_degrees": ONE, [T] => T, Call("degrees");
    "to_radians": ONE, [T] => T, Call("radians");
    "recip": Class::Float, [T] => T, Template("(1.0 / {0})");
    "mul_add": Class::Float, [T, T, T] => T, Call("fma");
    "midpoint": Class::Float, [T, T] => T, Template("({0} * 0.5 + {1} * 0.5)");
    "rem_euclid": Class::Float, [T, T] => T, Template("select({0} % {1}, ({0} % {1}) + abs({1}), ({0} % {1}) < {T}(0.0))");
    "div_euclid": Class::Float, [T, T] => T,
        Template("(trunc({0} / {1}) - select({T}(0.0), sign({1}), ({0} % {1}) < {T}(0.0)))");
    "to_bits": ONE, [T] => Scalar(U32), Template("bitcast<u32>({0})");
    // WGSL implementations may assume that NaNs and infinities do not occur, so the test is on the bits.
    "is_nan": Class::Float, [T] => Scalar(Bool), Template("any((bitcast<{U}>({0}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))");
    "is_finite": Class::Float, [T] => Scalar(Bool), Template("all((bitcast<{U}>({0}) & {U}(0x7fffffffu)) < {U}(0x7f800000u))");
    "is_infinite": ONE, [T] => Scalar(Bool), Template("((bitcast<u32>({0}) & 0x7fffffffu) == 0x7f800000u)");
    "is_sign_negative": ONE, [T] => Scalar(Bool), Template("((bitcast<u32>({0}) >> 31u) == 1u)");
    "is_sign_positive": ONE, [T] => Scalar(Bool), Template("((bitcast<u32>({0}) >> 31u) == 0u)");
    "is_nan_mask": Class::FloatVector, [T] => Like(Bool),
        Template("((bitcast<{U}>({0}) & {U}(0x7fffffffu)) > {U}(0x7f800000u))");
    "is_finite_mask": Class::FloatVector, [T] => Like(Bool),
        Template("((bitcast<{U}>({0}) & {U}(0x7fffffffu)) < {U}(0x7f800000u))");
    "is_negative_mask": Class::FloatVector, [T] => Like(Bool), Template("((bitcast<{U}>({0}) >> {U}(31u)) == {U}(1u))");
    "is_negative_mask": Class::Only(&[2, 3, 4], &[I32]), [T] => Like(Bool), Template("({0} < {T}(0))");
};

pub(super) const ASSOCIATED: &[Builtin] = table! {
    "from_bits": ONE, [Scalar(U32)] => T, Template("bitcast<f32>({0})");
};
