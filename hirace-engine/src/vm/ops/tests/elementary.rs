//! Tests functions of floats, by component.

use super::super::lane::*;
use super::{math, nearest_f16, same};
use naga::{MathFunction as Fun, Scalar};
use proptest::prelude::*;

fn one(fun: Fun, a: f32) -> f32 {
    math::<F32, F32>(fun, Scalar::F32, &[&[a]], 1)[0]
}

fn two(fun: Fun, a: f32, b: f32) -> f32 {
    math::<F32, F32>(fun, Scalar::F32, &[&[a], &[b]], 1)[0]
}

fn three(fun: Fun, a: f32, b: f32, c: f32) -> f32 {
    math::<F32, F32>(fun, Scalar::F32, &[&[a], &[b], &[c]], 1)[0]
}

/// A function of one argument, its reference, and the range of arguments to test.
type Function = (Fun, fn(f64) -> f64, f32, f32);

const FUNCTIONS: [Function; 25] = [
    (Fun::Abs, f64::abs, -1e9, 1e9),
    (Fun::Cos, f64::cos, -100.0, 100.0),
    (Fun::Cosh, f64::cosh, -80.0, 80.0),
    (Fun::Sin, f64::sin, -100.0, 100.0),
    (Fun::Sinh, f64::sinh, -80.0, 80.0),
    (Fun::Tan, f64::tan, -100.0, 100.0),
    (Fun::Tanh, f64::tanh, -20.0, 20.0),
    (Fun::Acos, f64::acos, -1.0, 1.0),
    (Fun::Asin, f64::asin, -1.0, 1.0),
    (Fun::Atan, f64::atan, -1e3, 1e3),
    (Fun::Asinh, f64::asinh, -1e3, 1e3),
    (Fun::Acosh, f64::acosh, 1.0, 1e3),
    (Fun::Atanh, f64::atanh, -0.999, 0.999),
    (Fun::Radians, |x| x * std::f64::consts::PI / 180.0, -1e4, 1e4),
    (Fun::Degrees, |x| x * 180.0 / std::f64::consts::PI, -1e4, 1e4),
    (Fun::Ceil, f64::ceil, -1e4, 1e4),
    (Fun::Floor, f64::floor, -1e4, 1e4),
    (Fun::Trunc, f64::trunc, -1e4, 1e4),
    (Fun::Exp, f64::exp, -80.0, 80.0),
    (Fun::Exp2, f64::exp2, -120.0, 120.0),
    (Fun::Log, f64::ln, 1e-30, 1e30),
    (Fun::Log2, f64::log2, 1e-30, 1e30),
    (Fun::Sqrt, f64::sqrt, 0.0, 1e30),
    (Fun::InverseSqrt, |x| 1.0 / x.sqrt(), 1e-30, 1e30),
    (Fun::Saturate, |x| x.clamp(0.0, 1.0), -2.0, 2.0),
];

proptest! {
    #[test]
    fn functions_are_within_a_few_units_of_the_exact_result(ratio in 0.0f32..1.0) {
        for (fun, exact, low, high) in FUNCTIONS {
            let x = low + (high - low) * ratio;
            let expected = exact(x.into());
            let error = (f64::from(one(fun, x)) - expected).abs();
            let unit = f64::from(f32::EPSILON) * expected.abs().max(f64::from(f32::MIN_POSITIVE));
            prop_assert!(error <= 4.0 * unit, "{fun:?}({x}) = {}, not {expected}", one(fun, x));

            let wide = math::<F64, F64>(fun, Scalar::F64, &[&[x.into()]], 1)[0];
            prop_assert!((wide - expected).abs() <= 1e-13 * expected.abs().max(1e-13), "{fun:?}({x})");
        }
    }

    #[test]
    fn f16_is_the_exact_result_rounded(ratio in 0.0f32..1.0) {
        for fun in [Fun::Sqrt, Fun::Abs, Fun::Floor, Fun::Ceil, Fun::Trunc] {
            let [x] = math::<F16, F16>(Fun::Abs, Scalar::F16, &[&[60000.0 * ratio]], 1)[..] else {
                unreachable!("one component was asked for")
            };
            let exact = FUNCTIONS.iter().find(|(other, ..)| *other == fun).map(|(_, f, ..)| f(x.into()));
            let [found] = math::<F16, F16>(fun, Scalar::F16, &[&[x]], 1)[..] else {
                unreachable!("one component was asked for")
            };
            prop_assert!(exact.is_some_and(|exact| nearest_f16(exact, found)), "{fun:?}({x})");
        }
    }

    #[test]
    fn functions_of_two_and_three_follow_their_formulas(
        a in -50.0f32..50.0, b in -50.0f32..50.0, c in -1.0f32..2.0,
    ) {
        let near = |found: f32, expected: f64| {
            let scale = expected.abs().max(f64::from(a.abs() + b.abs()));
            (f64::from(found) - expected).abs() <= 1e-6 * scale
        };
        let (wide_a, wide_b, wide_c) = (f64::from(a), f64::from(b), f64::from(c));
        prop_assert!(near(two(Fun::Atan2, a, b), wide_a.atan2(wide_b)));
        let power = wide_a.abs().powf(wide_c);
        prop_assert!(near(two(Fun::Pow, a.abs(), c), power));
        prop_assert_eq!(two(Fun::Step, a, b), if b >= a { 1.0 } else { 0.0 });
        prop_assert_eq!(two(Fun::Min, a, b), if a < b { a } else { b });
        prop_assert_eq!(two(Fun::Max, a, b), if a > b { a } else { b });
        prop_assert!(near(three(Fun::Mix, a, b, c), wide_a * (1.0 - wide_c) + wide_b * wide_c));
        prop_assert_eq!(f64::from(three(Fun::Fma, a, b, c)), f64::from((wide_a * wide_b + wide_c) as f32));
        let t = ((wide_a - wide_b) / (wide_c - wide_b)).clamp(0.0, 1.0);
        let smooth = three(Fun::SmoothStep, b, c, a);
        prop_assert!((f64::from(smooth) - t * t * (3.0 - 2.0 * t)).abs() < 1e-4, "{smooth}");
        prop_assert_eq!(one(Fun::Fract, a), a - a.floor());
    }

    #[test]
    fn quantizing_gives_the_nearest_f16(bits: u32) {
        let value = f32::from_bits(bits);
        prop_assert!(nearest_f16(value.into(), one(Fun::QuantizeToF16, value)));
    }

    #[test]
    fn no_bits_make_a_function_fail(bits in prop::array::uniform3(any::<u32>())) {
        let [a, b, c] = bits.map(|bits| [[bits]; 4]);
        for (fun, ..) in FUNCTIONS {
            let mut out = [[0]; 4];
            super::super::math::math(fun, Scalar::F32, &[&a], &mut out);
            let value = f64::from(f32::from_bits(out[0][0]));
            prop_assert!(same(value, one(fun, f32::from_bits(bits[0])).into()));
        }
        for fun in [Fun::Modf, Fun::Frexp, Fun::Ldexp, Fun::Clamp, Fun::Refract, Fun::Normalize] {
            let mut out = [[0]; 8];
            super::super::math::math(fun, Scalar::F32, &[&a, &b, &c], &mut out);
            super::super::math::math(fun, Scalar::F32, &[&a, &b], &mut out);
            super::super::math::math(fun, Scalar::F32, &[&a], &mut out);
            prop_assert_eq!(out.len(), 8);
        }
    }
}

#[test]
fn rounding_takes_the_even_neighbor_of_a_middle() {
    let found = [0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6].map(|a| one(Fun::Round, a));
    assert_eq!(found, [0.0, 2.0, 2.0, 0.0, -2.0, 2.0, 3.0]);
}

#[test]
fn a_number_is_smaller_and_larger_than_nan() {
    assert_eq!(two(Fun::Min, f32::NAN, 1.0), 1.0);
    assert_eq!(two(Fun::Min, 1.0, f32::NAN), 1.0);
    assert_eq!(two(Fun::Max, f32::NAN, 1.0), 1.0);
    assert!(two(Fun::Max, f32::NAN, f32::NAN).is_nan());
}

#[test]
fn the_edges_of_steps_belong_to_them() {
    assert_eq!(two(Fun::Step, 1.0, 1.0), 1.0);
    assert_eq!(three(Fun::SmoothStep, 0.0, 4.0, 4.0), 1.0);
    assert_eq!(three(Fun::SmoothStep, 0.0, 4.0, 2.0), 0.5);
    assert_eq!(three(Fun::Clamp, 0.0, 3.0, -3.0), -3.0);
    assert_eq!(one(Fun::Saturate, f32::INFINITY), 1.0);
    assert_eq!(one(Fun::Fract, -0.25), 0.75);
    assert_eq!([-2.0, 0.0, 3.0].map(|a| one(Fun::Sign, a)), [-1.0, 0.0, 1.0]);
}

#[test]
fn mix_takes_one_ratio_for_all_components() {
    let found = math::<F32, F32>(Fun::Mix, Scalar::F32, &[&[0.0, 10.0], &[8.0, 20.0], &[0.25]], 2);
    assert_eq!(found, [2.0, 12.5]);
}
