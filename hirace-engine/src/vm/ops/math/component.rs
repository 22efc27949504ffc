//! Functions of floats, by component.
//!
//! Elementary functions are those of Rust's standard library. Their error is one or two ulp, well within
//! WGSL's requirements.

use super::super::Slot;
use super::super::lane::{Lane, map1, map2, map3};
use super::super::number::Float;
use super::super::small::to_f16;
use naga::MathFunction as Fun;

pub fn by_component<L: Lane<Value: Float>, const N: usize>(
    fun: Fun,
    args: &[&[Slot<N>]],
    out: &mut [Slot<N>],
) {
    match *args {
        [a] => of_one::<L, N>(fun, a, out),
        [a, b] => match fun {
            Fun::Min => map2::<L, L, L, N>(a, b, out, Float::min),
            Fun::Max => map2::<L, L, L, N>(a, b, out, Float::max),
            Fun::Atan2 => map2::<L, L, L, N>(a, b, out, Float::atan2),
            Fun::Pow => map2::<L, L, L, N>(a, b, out, Float::pow),
            Fun::Step => map2::<L, L, L, N>(a, b, out, |edge, x| {
                if edge <= x { Float::ONE } else { L::Value::default() }
            }),
            _ => {}
        },
        [a, b, c] => match fun {
            Fun::Clamp => map3::<L, L, L, L, N>([a, b, c], out, Float::clamp),
            Fun::Fma => map3::<L, L, L, L, N>([a, b, c], out, Float::fma),
            Fun::Mix => map3::<L, L, L, L, N>([a, b, c], out, |a, b, ratio| {
                a * (L::Value::ONE - ratio) + b * ratio
            }),
            Fun::SmoothStep => map3::<L, L, L, L, N>([a, b, c], out, |low, high, x| {
                let t = saturate((x - low) / (high - low));
                t * t * (L::Value::from_f32(3.0) - L::Value::from_f32(2.0) * t)
            }),
            _ => {}
        },
        _ => {}
    }
}

fn of_one<L: Lane<Value: Float>, const N: usize>(fun: Fun, a: &[Slot<N>], out: &mut [Slot<N>]) {
    match fun {
        Fun::Abs => map1::<L, L, N>(a, out, Float::abs),
        Fun::Sign => map1::<L, L, N>(a, out, sign),
        Fun::Saturate => map1::<L, L, N>(a, out, saturate),
        Fun::Cos => map1::<L, L, N>(a, out, Float::cos),
        Fun::Cosh => map1::<L, L, N>(a, out, Float::cosh),
        Fun::Sin => map1::<L, L, N>(a, out, Float::sin),
        Fun::Sinh => map1::<L, L, N>(a, out, Float::sinh),
        Fun::Tan => map1::<L, L, N>(a, out, Float::tan),
        Fun::Tanh => map1::<L, L, N>(a, out, Float::tanh),
        Fun::Acos => map1::<L, L, N>(a, out, Float::acos),
        Fun::Asin => map1::<L, L, N>(a, out, Float::asin),
        Fun::Atan => map1::<L, L, N>(a, out, Float::atan),
        Fun::Asinh => map1::<L, L, N>(a, out, Float::asinh),
        Fun::Acosh => map1::<L, L, N>(a, out, Float::acosh),
        Fun::Atanh => map1::<L, L, N>(a, out, Float::atanh),
        Fun::Radians => map1::<L, L, N>(a, out, Float::radians),
        Fun::Degrees => map1::<L, L, N>(a, out, Float::degrees),
        Fun::Ceil => map1::<L, L, N>(a, out, Float::ceil),
        Fun::Floor => map1::<L, L, N>(a, out, Float::floor),
        Fun::Round => map1::<L, L, N>(a, out, Float::round),
        Fun::Trunc => map1::<L, L, N>(a, out, Float::trunc),
        Fun::Fract => map1::<L, L, N>(a, out, |a| a - a.floor()),
        Fun::Exp => map1::<L, L, N>(a, out, Float::exp),
        Fun::Exp2 => map1::<L, L, N>(a, out, Float::exp2),
        Fun::Log => map1::<L, L, N>(a, out, Float::ln),
        Fun::Log2 => map1::<L, L, N>(a, out, Float::log2),
        Fun::Sqrt => map1::<L, L, N>(a, out, Float::sqrt),
        Fun::InverseSqrt => map1::<L, L, N>(a, out, |a| L::Value::ONE / a.sqrt()),
        Fun::QuantizeToF16 => {
            map1::<L, L, N>(a, out, |a| Float::from_f32(to_f16(a.to_f64())));
        }
        _ => {}
    }
}

#[inline(always)]
fn saturate<F: Float>(a: F) -> F {
    a.clamp(F::default(), F::ONE)
}

#[inline(always)]
fn sign<F: Float>(a: F) -> F {
    if a > F::default() {
        F::ONE
    } else if a < F::default() {
        -F::ONE
    } else {
        F::default()
    }
}
