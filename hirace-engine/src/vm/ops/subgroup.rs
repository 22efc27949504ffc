//! Operations among the lanes of a subgroup.
//!
//! Only active lanes take part: bit `i` of `active` is lane `i`. Results are meaningful only in active lanes.
//! A subgroup has at most 64 lanes; if it has fewer than `N`, the remaining lanes are inactive.

use super::Slot;
use super::lane::{Bool, Lane, by_scalar};
use super::number::{Float, Integer};
use naga::{CollectiveOperation, Direction, GatherMode, Scalar, SubgroupOperation as Op};

/// Computes `out = subgroupBallot(predicate)`: bit `i` of the four words, lowest first, is set if lane `i` is
/// active and its predicate is true (without a predicate: if it is active).
pub fn ballot<const N: usize>(predicate: Option<&Slot<N>>, active: u64, out: &mut [Slot<N>; 4]) {
    let mut ballot = 0u64;
    for lane in lanes::<N>(active) {
        if predicate.is_none_or(|predicate| predicate[lane] != 0) {
            ballot |= 1 << lane;
        }
    }
    *out = [[ballot as u32; N], [(ballot >> 32) as u32; N], [0; N], [0; N]];
}

/// Computes `out = subgroupAdd(operand)` or a similar function, by component.
///
/// Values are combined in the order of lanes, which determines the rounding of float sums. An exclusive scan
/// starts from the neutral element: 0, 1, all bits, the largest value and so on.
pub fn collective<const N: usize>(
    op: Op,
    collective: CollectiveOperation,
    scalar: Scalar,
    operand: &[Slot<N>],
    active: u64,
    out: &mut [Slot<N>],
) {
    by_scalar!(scalar,
        bool _L => logical(op, collective, operand, active, out),
        integer L => integer::<L, N>(op, collective, operand, active, out),
        float L => float::<L, N>(op, collective, operand, active, out),
        otherwise => {},
    );
}

/// The neutral element of a fold, and the function that combines values.
type Step<V> = (V, fn(V, V) -> V);

fn logical<const N: usize>(
    op: Op,
    collective: CollectiveOperation,
    operand: &[Slot<N>],
    active: u64,
    out: &mut [Slot<N>],
) {
    let step: Step<bool> = match op {
        Op::All | Op::And => (true, |a, b| a & b),
        Op::Any | Op::Or => (false, |a, b| a | b),
        Op::Xor => (false, |a, b| a ^ b),
        Op::Add | Op::Mul | Op::Min | Op::Max => return,
    };
    fold::<Bool, N>(collective, operand, active, out, step);
}

fn integer<L: Lane<Value: Integer>, const N: usize>(
    op: Op,
    collective: CollectiveOperation,
    operand: &[Slot<N>],
    active: u64,
    out: &mut [Slot<N>],
) {
    let zero = L::Value::default();
    let step: Step<L::Value> = match op {
        Op::Add => (zero, Integer::add),
        Op::Mul => (Integer::ONE, Integer::mul),
        Op::Min => (Integer::MAX, Ord::min),
        Op::Max => (Integer::MIN, Ord::max),
        Op::And => (!zero, |a, b| a & b),
        Op::Or => (zero, |a, b| a | b),
        Op::Xor => (zero, |a, b| a ^ b),
        Op::All | Op::Any => return,
    };
    fold::<L, N>(collective, operand, active, out, step);
}

fn float<L: Lane<Value: Float>, const N: usize>(
    op: Op,
    collective: CollectiveOperation,
    operand: &[Slot<N>],
    active: u64,
    out: &mut [Slot<N>],
) {
    let step: Step<L::Value> = match op {
        Op::Add => (L::Value::default(), |a, b| a + b),
        Op::Mul => (Float::ONE, |a, b| a * b),
        Op::Min => (Float::from_f32(f32::INFINITY), Float::min),
        Op::Max => (Float::from_f32(f32::NEG_INFINITY), Float::max),
        Op::All | Op::Any | Op::And | Op::Or | Op::Xor => return,
    };
    fold::<L, N>(collective, operand, active, out, step);
}

fn fold<L: Lane, const N: usize>(
    collective: CollectiveOperation,
    operand: &[Slot<N>],
    active: u64,
    out: &mut [Slot<N>],
    (start, f): Step<L::Value>,
) {
    for (operand, out) in operand.chunks_exact(L::SLOTS).zip(out.chunks_exact_mut(L::SLOTS)) {
        let mut so_far = start;
        for lane in lanes::<N>(active) {
            let with_this = f(so_far, L::read(operand, lane));
            match collective {
                CollectiveOperation::Reduce => {}
                CollectiveOperation::InclusiveScan => L::write(out, lane, with_this),
                CollectiveOperation::ExclusiveScan => L::write(out, lane, so_far),
            }
            so_far = with_this;
        }
        if collective == CollectiveOperation::Reduce {
            (0..N).for_each(|lane| L::write(out, lane, so_far));
        }
    }
}

/// Computes `out = subgroupShuffle(operand, index)` or a similar function, for all components.
///
/// `index` is the value of the expression in `mode`, if there is one. A lane that would read from an inactive
/// or non-existent lane keeps its own value; WGSL leaves this open.
pub fn gather<const N: usize>(
    mode: &GatherMode,
    index: Option<&Slot<N>>,
    operand: &[Slot<N>],
    active: u64,
    out: &mut [Slot<N>],
) {
    let first = lanes::<N>(active).next();
    let mut sources = [0; N];
    for (lane, from) in sources.iter_mut().enumerate() {
        let index = index.map_or(0, |index| index[lane] as usize);
        let source = match mode {
            GatherMode::BroadcastFirst => first,
            GatherMode::Broadcast(_) | GatherMode::Shuffle(_) => Some(index),
            GatherMode::ShuffleDown(_) => lane.checked_add(index),
            GatherMode::ShuffleUp(_) => lane.checked_sub(index),
            GatherMode::ShuffleXor(_) => Some(lane ^ index),
            GatherMode::QuadBroadcast(_) => (index < 4).then_some(lane & !3 | index & 3),
            GatherMode::QuadSwap(Direction::X) => Some(lane ^ 1),
            GatherMode::QuadSwap(Direction::Y) => Some(lane ^ 2),
            GatherMode::QuadSwap(Direction::Diagonal) => Some(lane ^ 3),
        };
        *from = source.filter(|from| *from < N && active >> from & 1 == 1).unwrap_or(lane);
    }
    for (operand, out) in operand.iter().zip(out) {
        *out = sources.map(|from| operand[from]);
    }
}

/// Returns the active lanes in order.
fn lanes<const N: usize>(active: u64) -> impl Iterator<Item = usize> {
    const { assert!(N <= 64, "an active mask has 64 bits") };
    (0..N).filter(move |lane| active >> lane & 1 == 1)
}
