//! The methods of the `half` crate's `f16`. Methods that it has only through traits and macros are computed as `f32`.

use super::Emit::{Cast, Template};
use super::Parameter::{Scalar, T};
use super::{Builtin, Class};
use crate::types::Scalar::{Bool, F16, F32, U16};

const ONE: Class = Class::Only(&[1], &[F16]);

pub(super) const METHODS: &[Builtin] = table! {
    "to_f32": ONE, [T] => Scalar(F32), Cast;
    "to_f32_const": ONE, [T] => Scalar(F32), Cast;
    "to_bits": ONE, [T] => Scalar(U16), Template("pack2x16float(vec2<f32>(f32({0}), 0.0))");
    "is_nan": ONE, [T] => Scalar(Bool), Template("((pack2x16float(vec2<f32>(f32({0}), 0.0)) & 0x7fffu) > 0x7c00u)");
    "is_infinite": ONE, [T] => Scalar(Bool), Template("((pack2x16float(vec2<f32>(f32({0}), 0.0)) & 0x7fffu) == 0x7c00u)");
    "is_finite": ONE, [T] => Scalar(Bool), Template("((pack2x16float(vec2<f32>(f32({0}), 0.0)) & 0x7fffu) < 0x7c00u)");
    "is_sign_negative": ONE, [T] => Scalar(Bool), Template("((pack2x16float(vec2<f32>(f32({0}), 0.0)) >> 15u) == 1u)");
    "is_sign_positive": ONE, [T] => Scalar(Bool), Template("((pack2x16float(vec2<f32>(f32({0}), 0.0)) >> 15u) == 0u)");
    // The result is never 0, even for 0; NaN stays NaN.
    "signum": ONE, [T] => T,
        Template("select({0}, select(1.0h, -1.0h, (pack2x16float(vec2<f32>(f32({0}), 0.0)) >> 15u) == 1u), {0} == {0})");
    "copysign": ONE, [T, T] => T,
        Template("f16(unpack2x16float((pack2x16float(vec2<f32>(f32({0}), 0.0)) & 0x7fffu) | (pack2x16float(vec2<f32>(f32({1}), 0.0)) & 0x8000u)).x)");
    // Of 0 and -0, the result is the first argument; if one argument is NaN, the other. naga's `!=` is not true for
    // two NaNs.
    "min": ONE, [T, T] => T, Template("select({0}, {1}, ({1} < {0}) | !({0} == {0}))");
    "max": ONE, [T, T] => T, Template("select({0}, {1}, ({1} > {0}) | !({0} == {0}))");
    "clamp": ONE, [T, T, T] => T, Template("select(select({0}, {1}, {0} < {1}), {2}, {0} > {2})");
};

pub(super) const ASSOCIATED: &[Builtin] = table! {
    "from_f32": ONE, [Scalar(F32)] => T, Cast;
    "from_f32_const": ONE, [Scalar(F32)] => T, Cast;
    "from_bits": ONE, [Scalar(U16)] => T, Template("f16(unpack2x16float({0}).x)");
};

/// Returns `half`'s constant of this name.
pub fn half_constant(name: &str) -> Option<half::f16> {
    macro_rules! named {
        ($($name:ident)*) => {
            match name {
                $(stringify!($name) => half::f16::$name,)*
                _ => return None,
            }
        };
    }
    Some(named! {
        ZERO NEG_ZERO ONE NEG_ONE MIN MAX MIN_POSITIVE MIN_POSITIVE_SUBNORMAL MAX_SUBNORMAL EPSILON
        INFINITY NEG_INFINITY NAN
        E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
        LN_2 LN_10 LOG2_E LOG2_10 LOG10_2 LOG10_E PI SQRT_2
    })
}
