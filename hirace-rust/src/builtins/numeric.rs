//! WGSL's component-wise numeric functions, and its logical functions.

use super::super::tree::Scalar::{Bool, F32, I32};
use super::Emit::{Call, Parts};
use super::Parameter::{Each, Like, Scalar, T, Tuple};
use super::{Builtin, Class, row};

/// Creates the row of a function of one float or vector of floats.
const fn float(name: &'static str, function: &'static str) -> Builtin {
    row(name, Class::Float, &[T], T, Call(function))
}

pub(super) const FUNCTIONS: &[Builtin] = &[
    float("acos", "acos"),
    float("acosh", "acosh"),
    float("asin", "asin"),
    float("asinh", "asinh"),
    float("atan", "atan"),
    float("atanh", "atanh"),
    float("ceil", "ceil"),
    float("cos", "cos"),
    float("cosh", "cosh"),
    float("degrees", "degrees"),
    float("exp", "exp"),
    float("exp2", "exp2"),
    float("floor", "floor"),
    float("fract", "fract"),
    float("inverse_sqrt", "inverseSqrt"),
    float("log", "log"),
    float("log2", "log2"),
    float("quantize_to_f16", "quantizeToF16"),
    float("radians", "radians"),
    float("round", "round"),
    float("saturate", "saturate"),
    float("sin", "sin"),
    float("sinh", "sinh"),
    float("sqrt", "sqrt"),
    float("tan", "tan"),
    float("tanh", "tanh"),
    float("trunc", "trunc"),
    row("atan2", Class::Float, &[T, T], T, Call("atan2")),
    row("pow", Class::Float, &[T, T], T, Call("pow")),
    row("step", Class::Float, &[T, T], T, Call("step")),
    row("fma", Class::Float, &[T, T, T], T, Call("fma")),
    row("smoothstep", Class::Float, &[T, T, T], T, Call("smoothstep")),
    row("mix", Class::Float, &[T, T, Each(F32)], T, Call("mix")),
    row("ldexp", Class::Float, &[T, Like(I32)], T, Call("ldexp")),
    row(
        "frexp",
        Class::Float,
        &[T],
        Tuple(&[T, Like(I32)]),
        Parts(&["frexp({0}).fract", "frexp({0}).exp"]),
    ),
    row("modf", Class::Float, &[T], Tuple(&[T, T]), Parts(&["modf({0}).fract", "modf({0}).whole"])),
    row("abs", Class::Numeric, &[T], T, Call("abs")),
    row("sign", Class::Signed, &[T], T, Call("sign")),
    row("min", Class::Numeric, &[T, T], T, Call("min")),
    row("max", Class::Numeric, &[T, T], T, Call("max")),
    row("clamp", Class::Numeric, &[T, T, T], T, Call("clamp")),
    row("select", Class::Value, &[T, T, Each(Bool)], T, Call("select")),
    row("all", Class::Bool, &[T], Scalar(Bool), Call("all")),
    row("any", Class::Bool, &[T], Scalar(Bool), Call("any")),
];
