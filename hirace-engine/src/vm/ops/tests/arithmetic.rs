//! Tests operators.

use super::super::binary::binary;
use super::super::lane::*;
use super::super::unary::unary;
use super::{nearest_f16, same, slots, values};
use half::f16;
use naga::{BinaryOperator as Op, Scalar, UnaryOperator};
use proptest::prelude::*;

const ARITHMETIC: [Op; 8] = [
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Divide,
    Op::Modulo,
    Op::And,
    Op::ExclusiveOr,
    Op::InclusiveOr,
];
const COMPARISONS: [Op; 6] =
    [Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual];

fn apply<L: Lane, B: Lane, R: Lane, const N: usize>(
    op: Op,
    scalar: Scalar,
    a: [L::Value; N],
    b: [B::Value; N],
) -> [R::Value; N] {
    let mut out = vec![[0; N]; R::SLOTS];
    binary(op, scalar, &slots::<L, N>(&[a]), &slots::<B, N>(&[b]), &mut out);
    values::<R, N>(&out)[0]
}

/// Returns `value` modulo 2 to the `bits`, as a signed or unsigned number.
fn wrapped(value: i128, bits: u32, signed: bool) -> i128 {
    let low = value & ((1 << bits) - 1);
    if signed && low >> (bits - 1) == 1 { low - (1 << bits) } else { low }
}

/// Computes integer operators as WGSL specifies them, in numbers wide enough for all results.
fn expected(op: Op, a: i128, b: i128, bits: u32, signed: bool) -> i128 {
    let smallest = if signed { -(1 << (bits - 1)) } else { 0 };
    let too_large = signed && a == smallest && b == -1;
    let exact = match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a.wrapping_mul(b),
        Op::Divide if b == 0 || too_large => a,
        Op::Divide => a / b,
        Op::Modulo if b == 0 || too_large => 0,
        Op::Modulo => a % b,
        Op::And => a & b,
        Op::ExclusiveOr => a ^ b,
        Op::InclusiveOr => a | b,
        Op::ShiftLeft => a << (b as u32 % bits),
        Op::ShiftRight => a >> (b as u32 % bits),
        _ => unreachable!("not an arithmetic operator"),
    };
    wrapped(exact, bits, signed)
}

fn compared<T: PartialOrd>(op: Op, a: T, b: T) -> bool {
    match op {
        Op::Equal => a == b,
        Op::NotEqual => a != b,
        Op::Less => a < b,
        Op::LessEqual => a <= b,
        Op::Greater => a > b,
        _ => a >= b,
    }
}

/// Generates random bits, and often the ends of the range and values near zero.
fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => any::<u64>(),
        1 => prop::sample::select(vec![
            0, 1, 2, u64::MAX, u64::MAX - 1, 1 << 15, 1 << 31, 1 << 63, i64::MAX as u64,
            0x7fff_ffff, 0x7fff,
        ]),
        1 => 0u64..64,
    ]
}

macro_rules! integer_operators {
    ($($name:ident: $lane:ident, $scalar:ident, $type:ident;)*) => {
        proptest! {$(
            #[test]
            fn $name(pairs in prop::array::uniform8((bits(), bits()))) {
                let a = pairs.map(|(a, _)| a as $type);
                let b = pairs.map(|(_, b)| b as $type);
                let signed = $type::MIN != 0;
                for op in ARITHMETIC {
                    let found = apply::<$lane, $lane, $lane, 8>(op, Scalar::$scalar, a, b);
                    for lane in 0..8 {
                        let exact = expected(op, a[lane].into(), b[lane].into(), $type::BITS, signed);
                        prop_assert_eq!(i128::from(found[lane]), exact, "{:?}", (op, a[lane], b[lane]));
                    }
                }
                let places = pairs.map(|(_, b)| b as u32);
                for op in [Op::ShiftLeft, Op::ShiftRight] {
                    let found = apply::<$lane, U32, $lane, 8>(op, Scalar::$scalar, a, places);
                    for lane in 0..8 {
                        let exact =
                            expected(op, a[lane].into(), places[lane].into(), $type::BITS, signed);
                        prop_assert_eq!(i128::from(found[lane]), exact, "{:?}", (op, a[lane], places[lane]));
                    }
                }
                for op in COMPARISONS {
                    let found = apply::<$lane, $lane, Bool, 8>(op, Scalar::$scalar, a, b);
                    for lane in 0..8 {
                        prop_assert_eq!(found[lane], compared(op, a[lane], b[lane]));
                    }
                }
                for op in [UnaryOperator::Negate, UnaryOperator::BitwiseNot] {
                    let mut out = vec![[0; 8]; $lane::SLOTS];
                    unary(op, Scalar::$scalar, &slots::<$lane, 8>(&[a]), &mut out);
                    let found = values::<$lane, 8>(&out)[0];
                    for lane in 0..8 {
                        let wide = i128::from(a[lane]);
                        let exact = if op == UnaryOperator::Negate { -wide } else { -wide - 1 };
                        prop_assert_eq!(i128::from(found[lane]), wrapped(exact, $type::BITS, signed));
                    }
                }
            }
        )*}
    };
}

integer_operators! {
    i32_operators_are_exact_modulo_their_width: I32, I32, i32;
    u32_operators_are_exact_modulo_their_width: U32, U32, u32;
    i16_operators_are_exact_modulo_their_width: I16, I16, i16;
    u16_operators_are_exact_modulo_their_width: U16, U16, u16;
    i64_operators_are_exact_modulo_their_width: I64, I64, i64;
    u64_operators_are_exact_modulo_their_width: U64, U64, u64;
}

#[test]
fn division_that_has_no_result_gives_the_dividend_and_remainder_zero() {
    let a = [i32::MIN, i32::MIN, 7, -7];
    let b = [-1, 0, 0, 2];
    let quotient = apply::<I32, I32, I32, 4>(Op::Divide, Scalar::I32, a, b);
    assert_eq!(quotient, [i32::MIN, i32::MIN, 7, -3]);
    let remainder = apply::<I32, I32, I32, 4>(Op::Modulo, Scalar::I32, a, b);
    assert_eq!(remainder, [0, 0, 0, -1]);
}

#[test]
fn the_remainder_of_floats_has_the_sign_of_the_dividend() {
    let a = [5.5, -5.5, 5.5, 1.0];
    let b = [2.0, 2.0, -2.0, 0.0];
    let found = apply::<F32, F32, F32, 4>(Op::Modulo, Scalar::F32, a, b);
    assert_eq!(found[..3], [1.5, -1.5, 1.5]);
    assert!(found[3].is_nan());
}

#[test]
fn nothing_is_equal_to_nan_and_zeros_are_equal() {
    let a = [f32::NAN, f32::NAN, 0.0, 1.0];
    let b = [f32::NAN, 1.0, -0.0, f32::NAN];
    let apply = |op| apply::<F32, F32, Bool, 4>(op, Scalar::F32, a, b);
    assert_eq!(apply(Op::Equal), [false, false, true, false]);
    assert_eq!(apply(Op::NotEqual), [true, true, false, true]);
    assert_eq!(apply(Op::GreaterEqual), [false, false, true, false]);
}

#[test]
fn booleans_are_joined() {
    let a = [false, false, true, true];
    let b = [false, true, false, true];
    let apply = |op| apply::<Bool, Bool, Bool, 4>(op, Scalar::BOOL, a, b);
    for and in [Op::And, Op::LogicalAnd] {
        assert_eq!(apply(and), [false, false, false, true]);
    }
    for or in [Op::InclusiveOr, Op::LogicalOr] {
        assert_eq!(apply(or), [false, true, true, true]);
    }
    assert_eq!(apply(Op::NotEqual), [false, true, true, false]);
    assert_eq!(apply(Op::Equal), [true, false, false, true]);
    let mut out = [[0; 4]];
    unary(UnaryOperator::LogicalNot, Scalar::BOOL, &slots::<Bool, 4>(&[a]), &mut out);
    assert_eq!(out, [[1, 1, 0, 0]]);
}

#[test]
fn an_operand_of_one_component_serves_for_all() {
    let vector = slots::<F64, 2>(&[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]);
    let scalar = slots::<F64, 2>(&[[2.0, 3.0]]);
    let expected = [[2.0, 30.0], [4.0, 60.0], [6.0, 90.0]];
    for (a, b) in [(&vector, &scalar), (&scalar, &vector)] {
        let mut out = vec![[0; 2]; 6];
        binary(Op::Multiply, Scalar::F64, a, b, &mut out);
        assert_eq!(values::<F64, 2>(&out), expected);
    }
}

proptest! {
    #[test]
    fn f32_operators_round_to_nearest(a: u32, b: u32) {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        let (wide_a, wide_b) = (f64::from(a), f64::from(b));
        // f64 has more than twice the digits: rounding its result equals rounding the exact result.
        for (op, exact) in [
            (Op::Add, wide_a + wide_b),
            (Op::Subtract, wide_a - wide_b),
            (Op::Multiply, wide_a * wide_b),
            (Op::Divide, wide_a / wide_b),
        ] {
            let [found] = apply::<F32, F32, F32, 1>(op, Scalar::F32, [a], [b]);
            prop_assert!(same(found.into(), (exact as f32).into()), "{a:?} {op:?} {b:?} = {found:?}");
        }
        for op in COMPARISONS {
            let [found] = apply::<F32, F32, Bool, 1>(op, Scalar::F32, [a], [b]);
            prop_assert_eq!(found, compared(op, a, b));
        }
    }

    #[test]
    fn f16_operators_round_once(a: u16, b: u16) {
        let (a, b) = (f16::from_bits(a).to_f32(), f16::from_bits(b).to_f32());
        let (wide_a, wide_b) = (f64::from(a), f64::from(b));
        for (op, exact) in [
            (Op::Add, wide_a + wide_b),
            (Op::Subtract, wide_a - wide_b),
            (Op::Multiply, wide_a * wide_b),
            (Op::Divide, wide_a / wide_b),
        ] {
            let [found] = apply::<F16, F16, F16, 1>(op, Scalar::F16, [a], [b]);
            prop_assert!(nearest_f16(exact, found), "{a:?} {op:?} {b:?} = {found:?}");
        }
    }

    #[test]
    fn negation_flips_the_sign_alone(a: u32, b: u64) {
        let mut out = [[0]];
        unary(UnaryOperator::Negate, Scalar::F32, &[[a]], &mut out);
        prop_assert_eq!(out[0][0], a ^ 1 << 31);
        let mut out = [[0]; 2];
        unary(UnaryOperator::Negate, Scalar::F64, &[[b as u32], [(b >> 32) as u32]], &mut out);
        prop_assert_eq!(out, [[b as u32], [(b >> 32) as u32 ^ 1 << 31]]);
    }
}
