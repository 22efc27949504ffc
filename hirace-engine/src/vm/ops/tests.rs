//! Tests every operation against scalar code that was written from WGSL's text alone.

mod arithmetic;
mod bits;
mod conversion;
mod elementary;
mod exponent;
mod geometry;
mod matrix;
mod packing;
mod sampling;
mod subgroups;
mod texels;

use super::Slot;
use super::lane::Lane;
use half::f16;
use naga::{MathFunction, Scalar};

/// Returns the slots of a value with several components, each given for every lane.
fn slots<L: Lane, const N: usize>(components: &[[L::Value; N]]) -> Vec<Slot<N>> {
    let mut slots = vec![[0; N]; components.len() * L::SLOTS];
    for (slots, values) in slots.chunks_exact_mut(L::SLOTS).zip(components) {
        for (lane, value) in values.iter().enumerate() {
            L::write(slots, lane, *value);
        }
    }
    slots
}

/// Returns the components of slots: the inverse of [`slots`].
fn values<L: Lane, const N: usize>(slots: &[Slot<N>]) -> Vec<[L::Value; N]> {
    slots
        .chunks_exact(L::SLOTS)
        .map(|slots| std::array::from_fn(|lane| L::read(slots, lane)))
        .collect()
}

/// Computes `fun` of vectors in a single lane.
fn math<L: Lane, R: Lane>(
    fun: MathFunction,
    scalar: Scalar,
    args: &[&[L::Value]],
    components: usize,
) -> Vec<R::Value> {
    let args: Vec<_> = args.iter().map(|arg| slots::<L, 1>(&in_one_lane(arg))).collect();
    let args: Vec<&[Slot<1>]> = args.iter().map(Vec::as_slice).collect();
    math_of_slots::<R>(fun, scalar, &args, components)
}

/// Computes `fun` of vectors of any types in a single lane.
fn math_of_slots<R: Lane>(
    fun: MathFunction,
    scalar: Scalar,
    args: &[&[Slot<1>]],
    components: usize,
) -> Vec<R::Value> {
    let mut out = vec![[0; 1]; components * R::SLOTS];
    super::math::math(fun, scalar, args, &mut out);
    values::<R, 1>(&out).into_iter().map(|[value]| value).collect()
}

/// Returns the components of a value in a single lane.
fn in_one_lane<V: Copy>(components: &[V]) -> Vec<[V; 1]> {
    components.iter().map(|component| [*component]).collect()
}

/// Returns whether two numbers are equal or both NaN.
fn same(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

/// Returns whether `found` is the `f16` nearest to `exact`, and even in case of a tie.
fn nearest_f16(exact: f64, found: f32) -> bool {
    const TOO_LARGE: f64 = 65520.0;
    if exact.is_nan() || exact.abs() >= TOO_LARGE {
        return same(found.into(), if exact.is_nan() { exact } else { exact * f64::INFINITY });
    }
    let bits = f16::from_f32(found).to_bits();
    let distance = |bits: u16| (exact - f64::from(f16::from_bits(bits))).abs();
    let neighbors = [bits.wrapping_add(1), bits.wrapping_sub(1)];
    same(found.into(), f16::from_bits(bits).into())
        && neighbors.into_iter().filter(|bits| f16::from_bits(*bits).is_finite()).all(|other| {
            let even = bits.is_multiple_of(2);
            distance(bits) < distance(other) || even && distance(bits) == distance(other)
        })
}
