//! Binary operators, by component. Products of matrices and vectors are in [`super::matrix`].

use super::Slot;
use super::lane::{Bool, Lane, U32, by_scalar, map2};
use super::number::{Float, Integer};
use naga::{BinaryOperator as Op, Scalar};

/// Computes `out = left op right`, by component.
///
/// `scalar` is the type of `left`; `right` has the same type, except in shifts, where it is `u32`. The result
/// has that type too, or `bool` for a comparison.
#[inline(always)]
pub fn binary<const N: usize>(
    op: Op,
    scalar: Scalar,
    left: &[Slot<N>],
    right: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    by_scalar!(scalar,
        bool B => logical::<B, N>(op, left, right, out),
        integer L => integer::<L, N>(op, left, right, out),
        float L => float::<L, N>(op, left, right, out),
        otherwise => {},
    );
}

#[inline(always)]
fn integer<L: Lane<Value: Integer>, const N: usize>(
    op: Op,
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    match op {
        Op::Add => map2::<L, L, L, N>(a, b, out, Integer::add),
        Op::Subtract => map2::<L, L, L, N>(a, b, out, Integer::sub),
        Op::Multiply => map2::<L, L, L, N>(a, b, out, Integer::mul),
        Op::Divide => map2::<L, L, L, N>(a, b, out, Integer::div),
        Op::Modulo => map2::<L, L, L, N>(a, b, out, Integer::rem),
        Op::And => map2::<L, L, L, N>(a, b, out, |a, b| a & b),
        Op::ExclusiveOr => map2::<L, L, L, N>(a, b, out, |a, b| a ^ b),
        Op::InclusiveOr => map2::<L, L, L, N>(a, b, out, |a, b| a | b),
        Op::ShiftLeft => map2::<L, U32, L, N>(a, b, out, Integer::shl),
        Op::ShiftRight => map2::<L, U32, L, N>(a, b, out, Integer::shr),
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            compare::<L, N>(op, a, b, out)
        }
        Op::LogicalAnd | Op::LogicalOr => {}
    }
}

#[inline(always)]
fn float<L: Lane<Value: Float>, const N: usize>(
    op: Op,
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    match op {
        Op::Add => map2::<L, L, L, N>(a, b, out, |a, b| a + b),
        Op::Subtract => map2::<L, L, L, N>(a, b, out, |a, b| a - b),
        Op::Multiply => map2::<L, L, L, N>(a, b, out, |a, b| a * b),
        Op::Divide => map2::<L, L, L, N>(a, b, out, |a, b| a / b),
        Op::Modulo => map2::<L, L, L, N>(a, b, out, Float::rem),
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            compare::<L, N>(op, a, b, out)
        }
        Op::And
        | Op::ExclusiveOr
        | Op::InclusiveOr
        | Op::LogicalAnd
        | Op::LogicalOr
        | Op::ShiftLeft
        | Op::ShiftRight => {}
    }
}

#[inline(always)]
fn logical<L: Lane<Value = bool>, const N: usize>(
    op: Op,
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    match op {
        Op::And | Op::LogicalAnd => map2::<L, L, L, N>(a, b, out, |a, b| a & b),
        Op::InclusiveOr | Op::LogicalOr => map2::<L, L, L, N>(a, b, out, |a, b| a | b),
        Op::ExclusiveOr | Op::NotEqual => map2::<L, L, L, N>(a, b, out, |a, b| a ^ b),
        Op::Equal => map2::<L, L, L, N>(a, b, out, |a, b| a == b),
        _ => {}
    }
}

#[inline(always)]
fn compare<L: Lane<Value: PartialOrd>, const N: usize>(
    op: Op,
    a: &[Slot<N>],
    b: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    match op {
        Op::Equal => map2::<L, L, Bool, N>(a, b, out, |a, b| a == b),
        Op::NotEqual => map2::<L, L, Bool, N>(a, b, out, |a, b| a != b),
        Op::Less => map2::<L, L, Bool, N>(a, b, out, |a, b| a < b),
        Op::LessEqual => map2::<L, L, Bool, N>(a, b, out, |a, b| a <= b),
        Op::Greater => map2::<L, L, Bool, N>(a, b, out, |a, b| a > b),
        Op::GreaterEqual => map2::<L, L, Bool, N>(a, b, out, |a, b| a >= b),
        _ => {}
    }
}
