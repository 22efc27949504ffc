//! WGSL's numeric built-in functions: naga's `Math`.

mod bits;
mod component;
mod exponent;
mod geometry;
mod pack;

use super::lane::{Lane, by_scalar, map1, map2, map3};
use super::number::{Float, Integer};
use super::{Slot, matrix};
use naga::{MathFunction as Fun, Scalar};

/// Computes `out = fun(args…)`.
///
/// `scalar` is the type of the first argument's components; each argument is given by all its components. The
/// result of `modf` and `frexp` is both members, one after the other; the second member of `frexp` consists
/// of signed integers of the width of `scalar`.
///
/// `transpose` is not supported here, because the number of components does not determine a matrix's shape:
/// see [`matrix::transpose`].
pub fn math<const N: usize>(fun: Fun, scalar: Scalar, args: &[&[Slot<N>]], out: &mut [Slot<N>]) {
    match fun {
        Fun::Pack4x8snorm
        | Fun::Pack4x8unorm
        | Fun::Pack2x16snorm
        | Fun::Pack2x16unorm
        | Fun::Pack2x16float
        | Fun::Pack4xI8
        | Fun::Pack4xU8
        | Fun::Pack4xI8Clamp
        | Fun::Pack4xU8Clamp => pack::pack(fun, args, out),
        Fun::Unpack4x8snorm
        | Fun::Unpack4x8unorm
        | Fun::Unpack2x16snorm
        | Fun::Unpack2x16unorm
        | Fun::Unpack2x16float
        | Fun::Unpack4xI8
        | Fun::Unpack4xU8 => pack::unpack(fun, args, out),
        Fun::Dot4I8Packed | Fun::Dot4U8Packed => pack::dot(fun, args, out),
        _ => by_scalar!(scalar,
            bool _L => {},
            integer L => integer::<L, N>(fun, args, out),
            float L => float::<L, N>(fun, args, out),
            otherwise => {},
        ),
    }
}

fn integer<L: Lane<Value: Integer>, const N: usize>(
    fun: Fun,
    args: &[&[Slot<N>]],
    out: &mut [Slot<N>],
) {
    match (fun, args) {
        (Fun::Abs, [a]) => map1::<L, L, N>(a, out, |a| {
            if a < L::Value::default() { L::Value::default().sub(a) } else { a }
        }),
        (Fun::Sign, [a]) => {
            map1::<L, L, N>(a, out, |a| Integer::from_i64(a.cmp(&L::Value::default()) as i64))
        }
        (Fun::Min, [a, b]) => map2::<L, L, L, N>(a, b, out, Ord::min),
        (Fun::Max, [a, b]) => map2::<L, L, L, N>(a, b, out, Ord::max),
        (Fun::Clamp, [a, low, high]) => {
            map3::<L, L, L, L, N>([a, low, high], out, |a, low, high| a.max(low).min(high));
        }
        (Fun::Dot, [a, b]) => {
            geometry::dot::<L, N>(a, b, out, |sum, a, b| sum.add(a.mul(b)));
        }
        _ => bits::bits::<L, N>(fun, args, out),
    }
}

fn float<L: Lane<Value: Float>, const N: usize>(
    fun: Fun,
    args: &[&[Slot<N>]],
    out: &mut [Slot<N>],
) {
    match (fun, args) {
        (Fun::Dot, [a, b]) => geometry::dot::<L, N>(a, b, out, |sum, a, b| sum + a * b),
        (
            Fun::Cross
            | Fun::Distance
            | Fun::Length
            | Fun::Normalize
            | Fun::FaceForward
            | Fun::Reflect
            | Fun::Refract,
            _,
        ) => geometry::geometry::<L, N>(fun, args, out),
        (Fun::Outer, [column, row]) => matrix::outer::<L, N>(column, row, out),
        (Fun::Determinant, [m]) => matrix::determinant::<L, N>(m, out),
        (Fun::Inverse, [m]) => matrix::inverse::<L, N>(m, out),
        (Fun::Modf, [a]) => exponent::modf::<L, N>(a, out),
        (Fun::Frexp, [a]) => exponent::frexp::<L, N>(a, out),
        (Fun::Ldexp, [a, exponent]) => exponent::ldexp::<L, N>(a, exponent, out),
        _ => component::by_component::<L, N>(fun, args, out),
    }
}
