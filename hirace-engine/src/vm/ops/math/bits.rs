//! Functions on the bits of integers, by component.

use super::super::Slot;
use super::super::lane::{Lane, U32, components, map1, map3};
use super::super::number::Integer;
use naga::MathFunction as Fun;

pub fn bits<L: Lane<Value: Integer>, const N: usize>(
    fun: Fun,
    args: &[&[Slot<N>]],
    out: &mut [Slot<N>],
) {
    match (fun, args) {
        (Fun::CountOneBits, [a]) => map1::<L, L, N>(a, out, |a| number(a.count_ones())),
        (Fun::CountLeadingZeros, [a]) => map1::<L, L, N>(a, out, |a| number(a.leading_zeros())),
        (Fun::CountTrailingZeros, [a]) => map1::<L, L, N>(a, out, |a| number(a.trailing_zeros())),
        (Fun::ReverseBits, [a]) => map1::<L, L, N>(a, out, Integer::reverse_bits),
        (Fun::FirstTrailingBit, [a]) => map1::<L, L, N>(a, out, first_trailing_bit),
        (Fun::FirstLeadingBit, [a]) => map1::<L, L, N>(a, out, first_leading_bit),
        (Fun::ExtractBits, [a, offset, count]) => {
            map3::<L, U32, U32, L, N>([a, offset, count], out, extract);
        }
        (Fun::InsertBits, [a, new, offset, count]) => {
            // Offset and count are scalars, the same for all components.
            let places = components::<U32, N>(offset).zip(components::<U32, N>(count));
            let values = components::<L, N>(a).zip(components::<L, N>(new));
            let operands = values.zip(places);
            for (out, ((a, new), (offset, count))) in out.chunks_exact_mut(L::SLOTS).zip(operands) {
                for lane in 0..N {
                    let place = (U32::read(offset, lane), U32::read(count, lane));
                    L::write(out, lane, insert(L::read(a, lane), L::read(new, lane), place));
                }
            }
        }
        _ => {}
    }
}

#[inline(always)]
fn number<I: Integer>(value: u32) -> I {
    I::from_i64(value.into())
}

/// Returns the position of the lowest 1, or -1 (all bits 1 if unsigned).
#[inline(always)]
fn first_trailing_bit<I: Integer>(a: I) -> I {
    if a == I::default() { !I::default() } else { number(a.trailing_zeros()) }
}

/// Returns the position of the highest bit that differs from the sign (for unsigned types: the highest 1), or
/// -1.
#[inline(always)]
fn first_leading_bit<I: Integer>(a: I) -> I {
    let bits = if a < I::default() { !a } else { a };
    I::from_i64(i64::from(I::BITS) - 1 - i64::from(bits.leading_zeros()))
}

/// Returns offset and count, clamped to the width.
#[inline(always)]
fn place<I: Integer>(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(I::BITS);
    (offset, count.min(I::BITS - offset))
}

/// Returns `count` bits from `offset` on, sign-extended if the type is signed.
#[inline(always)]
fn extract<I: Integer>(a: I, offset: u32, count: u32) -> I {
    let (offset, count) = place::<I>(offset, count);
    if count == 0 {
        return I::default();
    }
    a.shl(I::BITS - count - offset).shr(I::BITS - count)
}

/// Returns `a` with `count` bits from `offset` on replaced by the low bits of `new`.
#[inline(always)]
fn insert<I: Integer>(a: I, new: I, (offset, count): (u32, u32)) -> I {
    let (offset, count) = place::<I>(offset, count);
    if count == 0 {
        return a;
    }
    let low =
        if count == I::BITS { !I::default() } else { number::<I>(1).shl(count).sub(number(1)) };
    let mask = low.shl(offset);
    a & !mask | new.shl(offset) & mask
}
