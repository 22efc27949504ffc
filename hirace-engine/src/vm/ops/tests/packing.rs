//! Tests packing and unpacking.

use super::super::lane::*;
use super::{math, math_of_slots, same};
use half::f16;
use naga::{MathFunction as Fun, Scalar};
use proptest::prelude::*;

fn unpack<R: Lane>(fun: Fun, bits: u32, components: usize) -> Vec<R::Value> {
    math_of_slots::<R>(fun, Scalar::U32, &[&[[bits]]], components)
}

fn pack(fun: Fun, values: &[f32]) -> u32 {
    math::<F32, U32>(fun, Scalar::F32, &[values], 1)[0]
}

/// Returns ⌊0.5 + most × min(1, max(least, e))⌋ as an integer.
fn normalized(e: f32, least: f64, most: f64) -> i64 {
    (0.5 + most * f64::from(e).max(least).min(1.0)).floor() as i64
}

#[test]
fn packing_puts_the_first_component_lowest() {
    assert_eq!(pack(Fun::Pack4x8unorm, &[0.0, 1.0, 0.5, 2.0]), 0xff80_ff00);
    assert_eq!(pack(Fun::Pack4x8snorm, &[-1.0, 1.0, 0.0, -2.0]), 0x8100_7f81);
    assert_eq!(pack(Fun::Pack2x16unorm, &[1.0, 0.0]), 0x0000_ffff);
    assert_eq!(pack(Fun::Pack2x16snorm, &[-1.0, 1.0]), 0x7fff_8001);
    assert_eq!(pack(Fun::Pack2x16float, &[1.0, -2.0]), 0xc000_3c00);
    assert_eq!(pack(Fun::Pack4x8unorm, &[f32::NAN, f32::INFINITY, -1.0, 0.0]), 0x0000_ff00);
    let four = |fun, values: [i32; 4]| math::<I32, U32>(fun, Scalar::I32, &[&values], 1)[0];
    assert_eq!(four(Fun::Pack4xI8, [1, -1, 0x1ff, 0x80]), 0x80ff_ff01);
    assert_eq!(four(Fun::Pack4xI8Clamp, [1, -1, 0x1ff, -0x1ff]), 0x807f_ff01);
    let four = |fun, values: [u32; 4]| math::<U32, U32>(fun, Scalar::U32, &[&values], 1)[0];
    assert_eq!(four(Fun::Pack4xU8, [1, 2, 0x1ff, 0x103]), 0x03ff_0201);
    assert_eq!(four(Fun::Pack4xU8Clamp, [1, 2, 0x1ff, u32::MAX]), 0xffff_0201);
}

#[test]
fn the_lowest_signed_number_stands_for_minus_one_too() {
    assert_eq!(unpack::<F32>(Fun::Unpack4x8snorm, 0x7f00_8180, 4), [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!(unpack::<F32>(Fun::Unpack2x16snorm, 0x8001_8000, 2), [-1.0, -1.0]);
}

/// Returns the value of an `f16`, computed from its fields.
fn decoded(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    match i32::from(bits >> 10 & 0x1f) {
        0 => sign * fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

#[test]
fn every_f16_unpacks_to_its_value_and_packs_again() {
    for bits in 0..=u16::MAX {
        let pair = u32::from(bits) | u32::from(bits ^ 0x8000) << 16;
        let values = unpack::<F32>(Fun::Unpack2x16float, pair, 2);
        assert!(same(values[0].into(), decoded(bits)), "{bits:#x}");
        assert!(same(values[1].into(), -decoded(bits)), "{bits:#x}");
        assert!(f16::from_bits(bits).is_nan() || pack(Fun::Pack2x16float, &values) == pair);
    }
}

proptest! {
    #[test]
    fn packing_follows_its_formula(bits in prop::array::uniform4(any::<u32>()), ratios in prop::array::uniform4(-1.1f32..1.1)) {
        for values in [bits.map(f32::from_bits), ratios] {
            if values.iter().any(|value| value.is_nan()) {
                continue;
            }
            let join = |least: f64, most: f64, width: u32, count: usize| {
                values[..count].iter().rev().fold(0u64, |packed, value| {
                    packed << width | normalized(*value, least, most) as u64 & ((1 << width) - 1)
                }) as u32
            };
            prop_assert_eq!(pack(Fun::Pack4x8unorm, &values), join(0.0, 255.0, 8, 4));
            prop_assert_eq!(pack(Fun::Pack4x8snorm, &values), join(-1.0, 127.0, 8, 4));
            prop_assert_eq!(pack(Fun::Pack2x16unorm, &values[..2]), join(0.0, 65535.0, 16, 2));
            prop_assert_eq!(pack(Fun::Pack2x16snorm, &values[..2]), join(-1.0, 32767.0, 16, 2));
        }
    }

    #[test]
    fn unpacking_follows_its_formula_and_packs_again(bits: u32) {
        let byte = |i: usize| bits.to_le_bytes()[i];
        let unorm = unpack::<F32>(Fun::Unpack4x8unorm, bits, 4);
        let snorm = unpack::<F32>(Fun::Unpack4x8snorm, bits, 4);
        let signed = unpack::<I32>(Fun::Unpack4xI8, bits, 4);
        let unsigned = unpack::<U32>(Fun::Unpack4xU8, bits, 4);
        for i in 0..4 {
            prop_assert_eq!(unorm[i], f32::from(byte(i)) / 255.0);
            prop_assert_eq!(snorm[i], (f32::from(byte(i) as i8) / 127.0).max(-1.0));
            prop_assert_eq!(signed[i], i32::from(byte(i) as i8));
            prop_assert_eq!(unsigned[i], u32::from(byte(i)));
        }
        prop_assert_eq!(pack(Fun::Pack4x8unorm, &unorm), bits);
        prop_assert_eq!(math::<I32, U32>(Fun::Pack4xI8, Scalar::I32, &[&signed], 1), [bits]);
        prop_assert_eq!(math::<U32, U32>(Fun::Pack4xU8, Scalar::U32, &[&unsigned], 1), [bits]);
        let unorm = unpack::<F32>(Fun::Unpack2x16unorm, bits, 2);
        let snorm = unpack::<F32>(Fun::Unpack2x16snorm, bits, 2);
        for i in 0..2 {
            let half = (bits >> (16 * i)) as u16;
            prop_assert_eq!(unorm[i], f32::from(half) / 65535.0);
            prop_assert_eq!(snorm[i], (f32::from(half as i16) / 32767.0).max(-1.0));
        }
        prop_assert_eq!(pack(Fun::Pack2x16unorm, &unorm), bits);
    }

    #[test]
    fn dot_products_of_bytes_are_exact(a: u32, b: u32) {
        let bytes = |bits: u32| bits.to_le_bytes();
        let pairs = || bytes(a).into_iter().zip(bytes(b));
        let signed: i32 = pairs().map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum();
        let unsigned: u32 = pairs().map(|(a, b)| u32::from(a) * u32::from(b)).sum();
        prop_assert_eq!(math::<U32, I32>(Fun::Dot4I8Packed, Scalar::U32, &[&[a], &[b]], 1), [signed]);
        prop_assert_eq!(math::<U32, U32>(Fun::Dot4U8Packed, Scalar::U32, &[&[a], &[b]], 1), [unsigned]);
    }
}
