//! The layout of values in slots, and the loops over lanes that all operations share.
//!
//! The type and the operation are selected once, outside of the loops. The loops are compiled for each
//! choice, over arrays of fixed size, so that the compiler vectorizes them.

use super::Slot;
use half::f16;

/// A scalar type: how its values are stored in the slots of one component.
pub trait Lane {
    /// The type used for computation.
    type Value: Copy + Default;
    /// Number of slots of a value.
    const SLOTS: usize;
    /// Returns the value of one lane.
    fn read<const N: usize>(slots: &[Slot<N>], lane: usize) -> Self::Value;
    /// Sets the value of one lane.
    fn write<const N: usize>(slots: &mut [Slot<N>], lane: usize, value: Self::Value);
}

macro_rules! one_slot {
    ($($(#[$doc:meta])* $name:ident($type:ty): |$word:ident| $read:expr, |$value:ident| $write:expr;)*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl Lane for $name {
            type Value = $type;
            const SLOTS: usize = 1;

            #[inline(always)]
            fn read<const N: usize>(slots: &[Slot<N>], lane: usize) -> $type {
                let $word = slots[0][lane];
                $read
            }

            #[inline(always)]
            fn write<const N: usize>(slots: &mut [Slot<N>], lane: usize, $value: $type) {
                slots[0][lane] = $write;
            }
        }
    )*};
}

one_slot! {
    /// `bool`.
    Bool(bool): |word| word != 0, |value| value as u32;
    /// `i32`.
    I32(i32): |word| word as i32, |value| value as u32;
    /// `u32`.
    U32(u32): |word| word, |value| value;
    /// `f32`.
    F32(f32): |word| f32::from_bits(word), |value| value.to_bits();
    /// `i16`, sign-extended.
    I16(i16): |word| word as i16, |value| value as i32 as u32;
    /// `u16`, zero-extended.
    U16(u16): |word| word as u16, |value| value as u32;
    /// `f16`, stored and computed as `f32`, rounded when written.
    F16(f32): |word| f32::from_bits(word), |value| f16::from_f32(value).to_f32().to_bits();
}

macro_rules! two_slots {
    ($($(#[$doc:meta])* $name:ident($type:ty): |$word:ident| $read:expr, |$value:ident| $write:expr;)*) => {$(
        $(#[$doc])*
        pub enum $name {}

        impl Lane for $name {
            type Value = $type;
            const SLOTS: usize = 2;

            #[inline(always)]
            fn read<const N: usize>(slots: &[Slot<N>], lane: usize) -> $type {
                let $word = slots[0][lane] as u64 | (slots[1][lane] as u64) << 32;
                $read
            }

            #[inline(always)]
            fn write<const N: usize>(slots: &mut [Slot<N>], lane: usize, $value: $type) {
                let bits: u64 = $write;
                slots[0][lane] = bits as u32;
                slots[1][lane] = (bits >> 32) as u32;
            }
        }
    )*};
}

two_slots! {
    /// `i64`.
    I64(i64): |bits| bits as i64, |value| value as u64;
    /// `u64`.
    U64(u64): |bits| bits, |value| value;
    /// `f64`.
    F64(f64): |bits| f64::from_bits(bits), |value| value.to_bits();
}

/// Returns the components of an operand, repeated endlessly, so that a single component can be combined with
/// several.
#[inline(always)]
pub fn components<L: Lane, const N: usize>(slots: &[Slot<N>]) -> impl Iterator<Item = &[Slot<N>]> {
    slots.chunks_exact(L::SLOTS).cycle()
}

/// Computes `out = f(a)`, by component.
#[inline(always)]
pub fn map1<A: Lane, R: Lane, const N: usize>(
    a: &[Slot<N>],
    out: &mut [Slot<N>],
    f: impl Fn(A::Value) -> R::Value,
) {
    for (out, a) in out.chunks_exact_mut(R::SLOTS).zip(components::<A, N>(a)) {
        for lane in 0..N {
            R::write(out, lane, f(A::read(a, lane)));
        }
    }
}

/// Computes `out = f(a, b)`, by component.
#[inline(always)]
pub fn map2<A: Lane, B: Lane, R: Lane, const N: usize>(
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
    f: impl Fn(A::Value, B::Value) -> R::Value,
) {
    let operands = components::<A, N>(a).zip(components::<B, N>(b));
    for (out, (a, b)) in out.chunks_exact_mut(R::SLOTS).zip(operands) {
        for lane in 0..N {
            R::write(out, lane, f(A::read(a, lane), B::read(b, lane)));
        }
    }
}

/// Computes `out = f(a, b, c)`, by component.
#[inline(always)]
pub fn map3<A: Lane, B: Lane, C: Lane, R: Lane, const N: usize>(
    [a, b, c]: [&[Slot<N>]; 3],
    out: &mut [Slot<N>],
    f: impl Fn(A::Value, B::Value, C::Value) -> R::Value,
) {
    let operands = components::<A, N>(a).zip(components::<B, N>(b)).zip(components::<C, N>(c));
    for (out, ((a, b), c)) in out.chunks_exact_mut(R::SLOTS).zip(operands) {
        for lane in 0..N {
            R::write(out, lane, f(A::read(a, lane), B::read(b, lane), C::read(c, lane)));
        }
    }
}

/// Selects the [`Lane`] of a [`naga::Scalar`] and evaluates an expression with it, by family of types.
macro_rules! by_scalar {
    ($scalar:expr, bool $B:ident => $bool:expr, integer $I:ident => $integer:expr,
     float $F:ident => $float:expr, otherwise => $other:expr $(,)?) => {{
        use naga::ScalarKind;
        use $crate::vm::ops::lane;
        match ($scalar.kind, $scalar.width) {
            (ScalarKind::Bool, _) => {
                type $B = lane::Bool;
                $bool
            }
            (ScalarKind::Sint, 4) => {
                type $I = lane::I32;
                $integer
            }
            (ScalarKind::Uint, 4) => {
                type $I = lane::U32;
                $integer
            }
            (ScalarKind::Float, 4) => {
                type $F = lane::F32;
                $float
            }
            (ScalarKind::Float, 2) => {
                type $F = lane::F16;
                $float
            }
            (ScalarKind::Sint, 2) => {
                type $I = lane::I16;
                $integer
            }
            (ScalarKind::Uint, 2) => {
                type $I = lane::U16;
                $integer
            }
            (ScalarKind::Sint, 8) => {
                type $I = lane::I64;
                $integer
            }
            (ScalarKind::Uint, 8) => {
                type $I = lane::U64;
                $integer
            }
            (ScalarKind::Float, 8) => {
                type $F = lane::F64;
                $float
            }
            _ => $other,
        }
    }};
}
pub(super) use by_scalar;
