//! Tests bit functions against loops over the bits.

use super::super::lane::*;
use super::{in_one_lane, math, math_of_slots, slots};
use naga::{MathFunction as Fun, Scalar};
use proptest::prelude::*;

/// Extracts bits: bit `i` of the result is bit `offset + i` of `value`, for `i` below `count`; a signed
/// result is sign-extended.
fn extract_bits(value: u64, offset: u32, count: u32, width: u32, signed: bool) -> u64 {
    let offset = offset.min(width);
    let count = count.min(width - offset);
    let bit = |i: u32| value >> i & 1;
    let fill = if signed && count > 0 { bit(offset + count - 1) } else { 0 };
    (0..width).map(|i| if i < count { bit(offset + i) } else { fill } << i).sum()
}

/// Inserts bits: bits `offset` to `offset + count - 1` come from the low bits of `new`, the others from
/// `value`.
fn insert_bits(value: u64, new: u64, offset: u32, count: u32, width: u32) -> u64 {
    let offset = offset.min(width);
    let count = count.min(width - offset);
    (0..width)
        .map(|i| {
            let from_new = i >= offset && i - offset < count;
            (if from_new { new >> (i - offset) } else { value >> i } & 1) << i
        })
        .sum()
}

/// Returns the highest position at which the bit is not `background`, or -1.
fn highest_differing_bit(value: u64, width: u32, background: u64) -> i64 {
    (0..width).rev().find(|i| value >> i & 1 != background).map_or(-1, i64::from)
}

fn bit_position() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0u32..70, 1 => any::<u32>()]
}

fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (any::<u64>(), 0u32..64).prop_map(|(bits, shift)| bits >> shift),
        (any::<i64>(), 0u32..64).prop_map(|(bits, shift)| (bits >> shift) as u64),
        (0u32..64).prop_map(|shift| 1 << shift),
        Just(0),
    ]
}

macro_rules! bit_functions {
    ($($name:ident: $lane:ident, $scalar:ident, $type:ident as $unsigned:ident;)*) => {
        proptest! {$(
            #[test]
            fn $name(a in bits(), new in bits(), offset in bit_position(), count in bit_position()) {
                let width = $type::BITS;
                let signed = $type::MIN != 0;
                let value = a as $type;
                let bit = |i: u32| (a >> i & 1) as u32;
                let one = |fun| math::<$lane, $lane>(fun, Scalar::$scalar, &[&[value]], 1)[0];

                let ones: u32 = (0..width).map(bit).sum();
                prop_assert_eq!(one(Fun::CountOneBits), ones as $type);
                let leading = (0..width).rev().take_while(|i| bit(*i) == 0).count();
                prop_assert_eq!(one(Fun::CountLeadingZeros), leading as $type);
                let trailing = (0..width).take_while(|i| bit(*i) == 0).count();
                prop_assert_eq!(one(Fun::CountTrailingZeros), trailing as $type);
                let reversed: u64 = (0..width).map(|i| u64::from(bit(i)) << (width - 1 - i)).sum();
                prop_assert_eq!(one(Fun::ReverseBits), reversed as $type);
                let lowest = (0..width).find(|i| bit(*i) == 1).map_or(-1, i64::from);
                prop_assert_eq!(one(Fun::FirstTrailingBit), lowest as $type);
                let background = if signed { u64::from(bit(width - 1)) } else { 0 };
                let expected = highest_differing_bit(a, width, background);
                prop_assert_eq!(one(Fun::FirstLeadingBit), expected as $type);

                let operand = slots::<$lane, 1>(&in_one_lane(&[value, new as $type]));
                let offset_slot = [[offset]];
                let count_slot = [[count]];
                let args: [&[[u32; 1]]; 3] = [&operand, &offset_slot, &count_slot];
                let found = math_of_slots::<$lane>(Fun::ExtractBits, Scalar::$scalar, &args, 2);
                for (found, value) in found.into_iter().zip([a, new]) {
                    let expected = extract_bits(value, offset, count, width, signed);
                    prop_assert_eq!(found as $unsigned, expected as $unsigned);
                }

                let other = slots::<$lane, 1>(&in_one_lane(&[new as $type, value]));
                let args: [&[[u32; 1]]; 4] = [&operand, &other, &offset_slot, &count_slot];
                let found = math_of_slots::<$lane>(Fun::InsertBits, Scalar::$scalar, &args, 2);
                for (found, (value, new)) in found.into_iter().zip([(a, new), (new, a)]) {
                    let expected = insert_bits(value, new, offset, count, width);
                    prop_assert_eq!(found as $unsigned, expected as $unsigned);
                }
            }
        )*}
    };
}

bit_functions! {
    bits_of_i32_are_counted_found_and_moved: I32, I32, i32 as u32;
    bits_of_u32_are_counted_found_and_moved: U32, U32, u32 as u32;
    bits_of_i16_are_counted_found_and_moved: I16, I16, i16 as u16;
    bits_of_u16_are_counted_found_and_moved: U16, U16, u16 as u16;
    bits_of_i64_are_counted_found_and_moved: I64, I64, i64 as u64;
    bits_of_u64_are_counted_found_and_moved: U64, U64, u64 as u64;
}

#[test]
fn offsets_and_counts_past_the_end_are_clamped() {
    let extract = |value: i32, offset, count| {
        let (value, offset, count) = ([[value as u32]], [[offset]], [[count]]);
        math_of_slots::<I32>(Fun::ExtractBits, Scalar::I32, &[&value, &offset, &count], 1)[0]
    };
    assert_eq!(extract(-1, 40, 3), 0);
    assert_eq!(extract(i32::MIN, 31, u32::MAX), -1);
    assert_eq!(extract(0x1234_5678, 0, 32), 0x1234_5678);
    assert_eq!(extract(0b1110, 1, 3), -1);
    assert_eq!(extract(-1, 5, 0), 0);
}

#[test]
fn integers_are_compared_by_their_type() {
    let three = |fun, a, b, c| math::<I32, I32>(fun, Scalar::I32, &[&[a], &[b], &[c]], 1)[0];
    let two = |fun, a, b| math::<I32, I32>(fun, Scalar::I32, &[&[a], &[b]], 1)[0];
    let one = |fun, a| math::<I32, I32>(fun, Scalar::I32, &[&[a]], 1)[0];
    assert_eq!(two(Fun::Min, -1, 1), -1);
    assert_eq!(two(Fun::Max, -1, 1), 1);
    assert_eq!(math::<U32, U32>(Fun::Min, Scalar::U32, &[&[u32::MAX], &[1]], 1), [1]);
    assert_eq!(math::<U64, U64>(Fun::Max, Scalar::U64, &[&[1 << 63], &[1]], 1), [1 << 63]);
    assert_eq!(three(Fun::Clamp, 5, -3, 3), 3);
    assert_eq!(three(Fun::Clamp, -5, -3, 3), -3);
    // The upper bound takes precedence over a greater lower bound.
    assert_eq!(three(Fun::Clamp, 0, 3, -3), -3);
    assert_eq!(one(Fun::Abs, -7), 7);
    assert_eq!(one(Fun::Abs, i32::MIN), i32::MIN);
    assert_eq!(one(Fun::Sign, -7), -1);
    assert_eq!(one(Fun::Sign, 0), 0);
    assert_eq!(math::<I64, I64>(Fun::Sign, Scalar::I64, &[&[1 << 40]], 1), [1]);
    assert_eq!(math::<U32, U32>(Fun::Abs, Scalar::U32, &[&[u32::MAX]], 1), [u32::MAX]);
}

#[test]
fn dot_products_of_integers_wrap() {
    let a = [i32::MAX, 2, -3];
    let b = [2, 5, 7];
    let found = math::<I32, I32>(Fun::Dot, Scalar::I32, &[&a, &b], 1);
    assert_eq!(found, [-2 + 10 - 21]);
    let found = math::<U64, U64>(Fun::Dot, Scalar::U64, &[&[1 << 40, 3], &[4, 1 << 33]], 1);
    assert_eq!(found, [(1 << 42) + (3 << 33)]);
}
