//! Products of matrices and vectors, and what built-in functions do with matrices.
//!
//! The sum and difference of matrices, and the product of a matrix and a scalar, are component-wise:
//! see [`super::binary`].

use super::lane::{Lane, by_scalar};
use super::number::Float;
use super::{Slot, slots};
use naga::Scalar;

/// How many columns and rows a matrix has. A column vector is a matrix of one column, a row vector
/// one of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Columns.
    pub columns: usize,
    /// Rows: components of a column.
    pub rows: usize,
}

/// `out = left * right`: matrix times matrix, matrix times vector (`right` of one column), vector
/// times matrix (`left` of one row). `left.columns` equals `right.rows`.
pub fn multiply<const N: usize>(
    scalar: Scalar,
    (left, left_shape): (&[Slot<N>], Shape),
    (right, right_shape): (&[Slot<N>], Shape),
    out: &mut [Slot<N>],
) {
    by_scalar!(scalar,
        bool _B => {},
        integer _L => {},
        float L => product::<L, N>((left, left_shape), (right, right_shape), out),
        otherwise => {},
    );
}

fn product<L: Lane<Value: Float>, const N: usize>(
    (left, left_shape): (&[Slot<N>], Shape),
    (right, right_shape): (&[Slot<N>], Shape),
    out: &mut [Slot<N>],
) {
    let columns = right.chunks_exact(right_shape.rows * L::SLOTS);
    for (out, column) in out.chunks_exact_mut(left_shape.rows * L::SLOTS).zip(columns) {
        for (row, out) in out.chunks_exact_mut(L::SLOTS).enumerate() {
            let mut sums = [L::Value::default(); N];
            let left = left[row * L::SLOTS..].chunks(left_shape.rows * L::SLOTS);
            for (a, b) in left.zip(column.chunks_exact(L::SLOTS)) {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum = *sum + L::read(a, lane) * L::read(b, lane);
                }
            }
            for (lane, sum) in sums.into_iter().enumerate() {
                L::write(out, lane, sum);
            }
        }
    }
}

/// `out = transpose(matrix)`.
pub fn transpose<const N: usize>(
    scalar: Scalar,
    matrix: &[Slot<N>],
    shape: Shape,
    out: &mut [Slot<N>],
) {
    let slots = slots(scalar);
    for (index, out) in out.chunks_exact_mut(slots).enumerate() {
        let (row, column) = (index / shape.columns, index % shape.columns);
        let from = (column * shape.rows + row) * slots;
        out.copy_from_slice(&matrix[from..from + slots]);
    }
}
