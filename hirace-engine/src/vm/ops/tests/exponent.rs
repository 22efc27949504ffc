//! Tests `modf`, `frexp` and `ldexp`.

use super::super::lane::*;
use super::{in_one_lane, math, math_of_slots, slots};
use naga::{MathFunction as Fun, Scalar};
use proptest::prelude::*;

fn ldexp32(a: f32, b: i32) -> f32 {
    math_of_slots::<F32>(Fun::Ldexp, Scalar::F32, &[&[[a.to_bits()]], &[[b as u32]]], 1)[0]
}

fn ldexp64(a: f64, b: i32) -> f64 {
    let a = slots::<F64, 1>(&[[a]]);
    math_of_slots::<F64>(Fun::Ldexp, Scalar::F64, &[&a, &[[b as u32]]], 1)[0]
}

#[test]
fn modf_gives_fractions_then_whole_parts() {
    let found = math::<F32, F32>(Fun::Modf, Scalar::F32, &[&[1.25, -2.5, 1e30]], 6);
    assert_eq!(found, [0.25, -0.5, 0.0, 1.0, -2.0, 1e30]);
    let found = math::<F64, F64>(Fun::Modf, Scalar::F64, &[&[f64::INFINITY]], 2);
    assert_eq!(found, [0.0, f64::INFINITY]);
    assert!(math::<F16, F16>(Fun::Modf, Scalar::F16, &[&[f32::NAN]], 2)[0].is_nan());
}

#[test]
fn frexp_gives_significands_then_exponents() {
    let args = slots::<F32, 1>(&in_one_lane(&[8.0f32, -0.75]));
    let found = math_of_slots::<U32>(Fun::Frexp, Scalar::F32, &[&args], 4);
    assert_eq!(found, [0.5f32.to_bits(), (-0.75f32).to_bits(), 4, 0]);
    let args = slots::<F64, 1>(&in_one_lane(&[5e-324f64]));
    let found = math_of_slots::<I64>(Fun::Frexp, Scalar::F64, &[&args], 2);
    assert_eq!(found, [0.5f64.to_bits() as i64, -1073]);
}

#[test]
fn ldexp_rounds_once() {
    // 1.5 * 2^-1074 is a midpoint and rounds to the even neighbor.
    assert_eq!(ldexp64(3.0, -1075), 2f64.powi(-1073));
    assert_eq!(ldexp64(1.0, -1075), 0.0);
    assert_eq!(ldexp64(1f64.next_up(), -1075), 5e-324);
    assert_eq!(ldexp64(f64::MAX, -2098), 5e-324);
    assert_eq!(ldexp64(5e-324, 2097), 2f64.powi(1023));
    assert_eq!(ldexp64(5e-324, 2098), f64::INFINITY);
    assert_eq!(ldexp64(-1.0, i32::MAX), f64::NEG_INFINITY);
    assert_eq!(ldexp32(3.0, -150), 2f32.powi(-148));
    assert_eq!(ldexp32(1.0, 127), 2f32.powi(127));
    assert_eq!(ldexp32(1.0, 128), f32::INFINITY);
    assert_eq!(ldexp32(1.0, i32::MIN), 0.0);
    assert_eq!(ldexp32(f32::from_bits(1), 149), 1.0);
}

proptest! {
    #[test]
    fn ldexp_is_the_inverse_of_frexp(bits: u32, wide: u64) {
        let value = f32::from_bits(bits);
        let found = math_of_slots::<U32>(Fun::Frexp, Scalar::F32, &[&[[bits]]], 2);
        let (fract, exp) = (f32::from_bits(found[0]), found[1] as i32);
        if value.is_finite() {
            prop_assert_eq!(ldexp32(fract, exp), value);
            prop_assert!(value == 0.0 || (0.5..1.0).contains(&fract.abs()), "{fract}");
        }
        let value = f64::from_bits(wide);
        let args = slots::<F64, 1>(&[[value]]);
        let found = math_of_slots::<U64>(Fun::Frexp, Scalar::F64, &[&args], 2);
        let (fract, exp) = (f64::from_bits(found[0]), found[1] as i64 as i32);
        if value.is_finite() {
            prop_assert_eq!(ldexp64(fract, exp), value);
            prop_assert!(value == 0.0 || (0.5..1.0).contains(&fract.abs()), "{fract}");
        }
    }

    #[test]
    fn modf_parts_add_up(bits: u32) {
        let value = f32::from_bits(bits);
        let [fract, integral] = math::<F32, F32>(Fun::Modf, Scalar::F32, &[&[value]], 2)[..] else {
            unreachable!("two components were requested")
        };
        if value.is_finite() {
            prop_assert_eq!(fract + integral, value);
            prop_assert!(fract.abs() < 1.0 && integral == integral.trunc());
            prop_assert!(fract * value >= 0.0);
        }
    }
}
