//! Tests conversions, bitcasts, `select`, `all`, `any`, `isNan` and `isInf`.

use super::super::convert::{bitcast, convert};
use super::super::lane::*;
use super::super::relational::{relational, select};
use super::{nearest_f16, slots, values};
use half::f16;
use naga::{RelationalFunction, Scalar, ScalarKind};
use proptest::prelude::*;

fn one<A: Lane, R: Lane>(from: Scalar, to: Scalar, value: A::Value) -> R::Value {
    let mut out = vec![[0; 1]; R::SLOTS];
    convert(from, to, &slots::<A, 1>(&[[value]]), &mut out);
    values::<R, 1>(&out)[0][0]
}

#[test]
fn out_of_range_floats_become_the_nearest_common_value() {
    let signed = one::<F32, I32>;
    let unsigned = one::<F32, U32>;
    assert_eq!(unsigned(Scalar::F32, Scalar::U32, 1e20), 4_294_967_040);
    assert_eq!(unsigned(Scalar::F32, Scalar::U32, f32::INFINITY), 4_294_967_040);
    assert_eq!(unsigned(Scalar::F32, Scalar::U32, -1.0), 0);
    assert_eq!(unsigned(Scalar::F32, Scalar::U32, 3.9), 3);
    assert_eq!(unsigned(Scalar::F32, Scalar::U32, f32::NAN), 0);
    assert_eq!(signed(Scalar::F32, Scalar::I32, 1e20), 2_147_483_520);
    assert_eq!(signed(Scalar::F32, Scalar::I32, -1e20), i32::MIN);
    assert_eq!(signed(Scalar::F32, Scalar::I32, -3.9), -3);
    assert_eq!(signed(Scalar::F32, Scalar::I32, f32::NAN), 0);
    assert_eq!(one::<F64, I32>(Scalar::F64, Scalar::I32, 1e20), i32::MAX);
    assert_eq!(one::<F64, I64>(Scalar::F64, Scalar::I64, 1e20), i64::MAX - 1023);
    assert_eq!(one::<F64, U64>(Scalar::F64, Scalar::U64, 1e20), u64::MAX - 2047);
    assert_eq!(one::<F32, I64>(Scalar::F32, Scalar::I64, 1e20), i64::MAX - (1 << 39) + 1);
    assert_eq!(one::<F16, I32>(Scalar::F16, Scalar::I32, f32::INFINITY), 65504);
    assert_eq!(one::<F16, I32>(Scalar::F16, Scalar::I32, f32::NEG_INFINITY), -65504);
    assert_eq!(one::<F16, U32>(Scalar::F16, Scalar::U32, f32::NEG_INFINITY), 0);
    assert_eq!(one::<F16, I16>(Scalar::F16, Scalar::I16, 40000.0), i16::MAX);
}

#[test]
fn an_f64_is_rounded_to_f16_once() {
    // Just above the midpoint of two neighbors; as an f32 it would be the midpoint.
    let above_the_middle = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    let found = one::<F64, F16>(Scalar::F64, Scalar::F16, above_the_middle);
    assert_eq!(found, 1.0 + 2f32.powi(-10));
}

#[test]
fn everything_but_zero_is_true() {
    assert!(!one::<F32, Bool>(Scalar::F32, Scalar::BOOL, -0.0));
    assert!(one::<F32, Bool>(Scalar::F32, Scalar::BOOL, f32::NAN));
    assert!(one::<F64, Bool>(Scalar::F64, Scalar::BOOL, f64::MIN_POSITIVE));
    assert!(one::<I64, Bool>(Scalar::I64, Scalar::BOOL, 1 << 40));
    assert!(!one::<U16, Bool>(Scalar::U16, Scalar::BOOL, 0));
    assert_eq!(one::<Bool, F64>(Scalar::BOOL, Scalar::F64, true), 1.0);
    assert_eq!(one::<Bool, F16>(Scalar::BOOL, Scalar::F16, false), 0.0);
    assert_eq!(one::<Bool, U64>(Scalar::BOOL, Scalar::U64, true), 1);
}

/// Returns whether no neighbor of `found` is nearer to `exact`, and `found` is even in case of a tie.
fn is_nearest(exact: i128, found: f32) -> bool {
    if found.is_infinite() {
        return exact.unsigned_abs() as f64 >= 3.4028235677973366e38;
    }
    let distance = |candidate: f32| (exact - candidate as i128).unsigned_abs();
    [found.next_up(), found.next_down()].into_iter().all(|other| {
        let even = found.to_bits().is_multiple_of(2);
        distance(found) < distance(other) || even && distance(found) == distance(other)
    })
}

/// Truncates `value`, and clamps it to the integers from `min` to `max` that floats with this many digits
/// represent.
fn towards_zero(value: f64, min: i128, max: i128, digits: u32) -> i128 {
    if value.is_nan() {
        return 0;
    }
    let bits = u128::BITS - max.leading_zeros();
    let unused = bits.saturating_sub(digits);
    let largest = max >> unused << unused;
    (value.trunc() as i128).clamp(min, largest)
}

proptest! {
    #[test]
    fn floats_become_integers_towards_zero(bits: u32, wide: u64, exponent in -2i32..70) {
        // Random bits are mostly huge or tiny numbers, so the second value has an exponent in range.
        let ranged = f32::from_bits(bits & 0x807f_ffff | ((exponent + 127) as u32) << 23);
        for value in [f32::from_bits(bits), ranged] {
            let exact = f64::from(value);
            let expect = |min: i128, max: i128| towards_zero(exact, min, max, 24);
            let signed = one::<F32, I32>(Scalar::F32, Scalar::I32, value);
            prop_assert_eq!(i128::from(signed), expect(i32::MIN.into(), i32::MAX.into()));
            let unsigned = one::<F32, U32>(Scalar::F32, Scalar::U32, value);
            prop_assert_eq!(i128::from(unsigned), expect(0, u32::MAX.into()));
            let signed = one::<F32, I64>(Scalar::F32, Scalar::I64, value);
            prop_assert_eq!(i128::from(signed), expect(i64::MIN.into(), i64::MAX.into()));
            let unsigned = one::<F32, U64>(Scalar::F32, Scalar::U64, value);
            prop_assert_eq!(i128::from(unsigned), expect(0, u64::MAX.into()));
            let short = one::<F32, I16>(Scalar::F32, Scalar::I16, value);
            prop_assert_eq!(i128::from(short), expect(i16::MIN.into(), i16::MAX.into()));
        }
        let ranged = f64::from_bits(wide & !(0x7ff << 52) | ((exponent + 1023) as u64) << 52);
        for value in [f64::from_bits(wide), ranged] {
            let expect = |min: i128, max: i128| towards_zero(value, min, max, 53);
            let signed = one::<F64, I64>(Scalar::F64, Scalar::I64, value);
            prop_assert_eq!(i128::from(signed), expect(i64::MIN.into(), i64::MAX.into()));
            let unsigned = one::<F64, U32>(Scalar::F64, Scalar::U32, value);
            prop_assert_eq!(i128::from(unsigned), expect(0, u32::MAX.into()));
        }
    }

    #[test]
    fn integers_become_the_nearest_float(bits: u64) {
        let signed = bits as i32;
        prop_assert!(is_nearest(signed.into(), one::<I32, F32>(Scalar::I32, Scalar::F32, signed)));
        let unsigned = bits as u32;
        prop_assert!(is_nearest(unsigned.into(), one::<U32, F32>(Scalar::U32, Scalar::F32, unsigned)));
        prop_assert!(is_nearest(bits.into(), one::<U64, F32>(Scalar::U64, Scalar::F32, bits)));
        let signed = bits as i64;
        prop_assert!(is_nearest(signed.into(), one::<I64, F32>(Scalar::I64, Scalar::F32, signed)));
        prop_assert_eq!(one::<U32, F64>(Scalar::U32, Scalar::F64, unsigned) as u32, unsigned);
    }

    #[test]
    fn integers_keep_their_low_bits(bits: u64) {
        let signed = bits as i64;
        prop_assert_eq!(one::<I64, I32>(Scalar::I64, Scalar::I32, signed), bits as u32 as i32);
        prop_assert_eq!(one::<I64, U16>(Scalar::I64, Scalar::U16, signed), bits as u16);
        prop_assert_eq!(one::<U64, I16>(Scalar::U64, Scalar::I16, bits), bits as u16 as i16);
        prop_assert_eq!(one::<U32, I32>(Scalar::U32, Scalar::I32, bits as u32), bits as i32);
        // A wider type is sign-extended from the narrower one.
        let sign = if bits as u32 >> 31 == 1 { u64::MAX << 32 } else { 0 };
        prop_assert_eq!(one::<I32, U64>(Scalar::I32, Scalar::U64, bits as i32), sign | bits as u32 as u64);
        prop_assert_eq!(one::<U32, I64>(Scalar::U32, Scalar::I64, bits as u32), bits as u32 as i64);
    }

    #[test]
    fn floats_become_the_nearest_shorter_float(bits: u64, narrow: u32) {
        let value = f64::from_bits(bits);
        let found = one::<F64, F32>(Scalar::F64, Scalar::F32, value);
        prop_assert!(super::same(found.into(), (value as f32).into()));
        for ranged in [bits, bits & !(0x7ff << 52) | (1023 - 26 + (bits >> 52) % 43) << 52] {
            let value = f64::from_bits(ranged);
            let found = one::<F64, F16>(Scalar::F64, Scalar::F16, value);
            prop_assert!(nearest_f16(value, found), "{value:?} as f16 = {found:?}");
        }
        let value = f32::from_bits(narrow);
        let found = one::<F32, F16>(Scalar::F32, Scalar::F16, value);
        prop_assert!(nearest_f16(value.into(), found));
        prop_assert!(super::same(one::<F32, F64>(Scalar::F32, Scalar::F64, value), value.into()));
    }

    #[test]
    fn bitcasts_of_words_change_nothing(word: u32, other: u32) {
        for from in [Scalar::I32, Scalar::U32, Scalar::F32] {
            for to in [ScalarKind::Sint, ScalarKind::Uint, ScalarKind::Float] {
                let mut out = [[0]; 2];
                bitcast(from, to, &[[word], [other]], &mut out);
                prop_assert_eq!(out, [[word], [other]]);
            }
        }
    }
}

#[test]
fn bitcasts_of_f16_preserve_its_16_bits() {
    for bits in 0..=u16::MAX {
        let mut float = [[0]];
        bitcast(Scalar::U16, ScalarKind::Float, &[[u32::from(bits)]], &mut float);
        let value = f16::from_bits(bits);
        let kept = f32::from_bits(float[0][0]);
        assert!(super::same(kept.into(), value.into()), "{bits:#x}");
        let mut back = [[0]];
        bitcast(Scalar::F16, ScalarKind::Uint, &float, &mut back);
        assert!(value.is_nan() || back == [[u32::from(bits)]], "{bits:#x}");
        bitcast(Scalar::F16, ScalarKind::Sint, &float, &mut back);
        assert!(value.is_nan() || back == [[bits as i16 as u32]], "{bits:#x}");
        bitcast(Scalar::U16, ScalarKind::Sint, &[[u32::from(bits)]], &mut back);
        assert_eq!(back, [[bits as i16 as u32]]);
        bitcast(Scalar::I16, ScalarKind::Uint, &[[bits as i16 as u32]], &mut back);
        assert_eq!(back, [[u32::from(bits)]]);
    }
}

#[test]
fn all_and_any_combine_all_components() {
    let vector = slots::<Bool, 4>(&[
        [true, false, false, true],
        [true, false, true, true],
        [true, false, false, false],
    ]);
    let mut out = [[0; 4]];
    relational(RelationalFunction::All, Scalar::BOOL, &vector, &mut out);
    assert_eq!(out, [[1, 0, 0, 0]]);
    relational(RelationalFunction::Any, Scalar::BOOL, &vector, &mut out);
    assert_eq!(out, [[1, 0, 1, 1]]);
}

#[test]
fn nan_and_infinity_are_distinguished() {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300];
    let evaluate = |fun, scalar, operand: &[[u32; 4]]| {
        let mut out = [[0; 4]];
        relational(fun, scalar, operand, &mut out);
        out[0]
    };
    let wide = slots::<F64, 4>(&[values]);
    assert_eq!(evaluate(RelationalFunction::IsNan, Scalar::F64, &wide), [1, 0, 0, 0]);
    assert_eq!(evaluate(RelationalFunction::IsInf, Scalar::F64, &wide), [0, 1, 1, 0]);
    let narrow = slots::<F32, 4>(&[values.map(|value| value.clamp(-2e300, 2e300) as f32)]);
    assert_eq!(evaluate(RelationalFunction::IsNan, Scalar::F32, &narrow), [1, 0, 0, 0]);
    assert_eq!(evaluate(RelationalFunction::IsInf, Scalar::F32, &narrow), [0, 1, 1, 1]);
    let half = slots::<F16, 4>(&[[f32::NAN, 65504.0, 65520.0, -1.0]]);
    assert_eq!(evaluate(RelationalFunction::IsNan, Scalar::F16, &half), [1, 0, 0, 0]);
    assert_eq!(evaluate(RelationalFunction::IsInf, Scalar::F16, &half), [0, 0, 1, 0]);
}

#[test]
fn select_returns_accept_where_the_condition_holds() {
    let accept = slots::<I64, 2>(&[[1 << 40, 2], [3, 4]]);
    let reject = slots::<I64, 2>(&[[-1, -2], [-3, -4 << 40]]);
    let mut out = [[0; 2]; 4];
    select(Scalar::I64, &[[1, 0]], &accept, &reject, &mut out);
    assert_eq!(values::<I64, 2>(&out), [[1 << 40, -2], [3, -4 << 40]]);
    select(Scalar::I64, &[[1, 0], [0, 1]], &accept, &reject, &mut out);
    assert_eq!(values::<I64, 2>(&out), [[1 << 40, -2], [-3, 4]]);
}
