//! The unary operators `-`, `!` and `~`.

use super::Slot;
use super::lane::{Bool, Lane, by_scalar, map1};
use super::number::Integer;
use naga::{Scalar, UnaryOperator};

/// Computes `out = op operand`, by component. `scalar` is the type of `operand` and of the result.
pub fn unary<const N: usize>(
    op: UnaryOperator,
    scalar: Scalar,
    operand: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    by_scalar!(scalar,
        bool B => if op == UnaryOperator::LogicalNot {
            map1::<B, Bool, N>(operand, out, |a| !a);
        },
        integer L => integer::<L, N>(op, operand, out),
        float L => if op == UnaryOperator::Negate {
            map1::<L, L, N>(operand, out, |a| -a);
        },
        otherwise => {},
    );
}

fn integer<L: Lane<Value: Integer>, const N: usize>(
    op: UnaryOperator,
    operand: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    match op {
        UnaryOperator::Negate => map1::<L, L, N>(operand, out, |a| L::Value::default().sub(a)),
        UnaryOperator::BitwiseNot => map1::<L, L, N>(operand, out, |a| !a),
        UnaryOperator::LogicalNot => {}
    }
}
