//! `all`, `any`, `select`, and tests for NaN and infinity.

use super::lane::{Bool, by_scalar, map1};
use super::number::Float;
use super::{Slot, slots};
use naga::{RelationalFunction, Scalar};

/// Computes `out = fun(operand)`: one component for `all` and `any`, otherwise by component. `scalar` is the
/// type of `operand`.
pub fn relational<const N: usize>(
    fun: RelationalFunction,
    scalar: Scalar,
    operand: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    match fun {
        RelationalFunction::All => fold(operand, out, |a, b| a & b),
        RelationalFunction::Any => fold(operand, out, |a, b| a | b),
        RelationalFunction::IsNan => by_scalar!(scalar,
            bool _L => {},
            integer _L => {},
            float L => map1::<L, Bool, N>(operand, out, is_nan),
            otherwise => {},
        ),
        RelationalFunction::IsInf => by_scalar!(scalar,
            bool _L => {},
            integer _L => {},
            float L => map1::<L, Bool, N>(operand, out, is_infinite),
            otherwise => {},
        ),
    }
}

fn is_nan<F: Float>(a: F) -> bool {
    a.partial_cmp(&a).is_none()
}

fn is_infinite<F: Float>(a: F) -> bool {
    a.abs() == F::from_f32(f32::INFINITY)
}

fn fold<const N: usize>(operand: &[Slot<N>], out: &mut [Slot<N>], f: impl Fn(u32, u32) -> u32) {
    if let ([first, rest @ ..], [out, ..]) = (operand, out) {
        *out = *first;
        for component in rest {
            for (out, word) in out.iter_mut().zip(component) {
                *out = f(*out, *word);
            }
        }
    }
}

/// Computes `out = select(reject, accept, condition)`, by component; a condition with one component selects
/// for all of them. `scalar` is the type of `accept` and `reject`.
pub fn select<const N: usize>(
    scalar: Scalar,
    condition: &[Slot<N>],
    accept: &[Slot<N>],
    reject: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    let slots = slots(scalar);
    let operands = accept.chunks_exact(slots).zip(reject.chunks_exact(slots));
    let choices = condition.iter().cycle().zip(operands);
    for (out, (condition, (accept, reject))) in out.chunks_exact_mut(slots).zip(choices) {
        for (out, (accept, reject)) in out.iter_mut().zip(accept.iter().zip(reject)) {
            for lane in 0..N {
                out[lane] = if condition[lane] != 0 { accept[lane] } else { reject[lane] };
            }
        }
    }
}
