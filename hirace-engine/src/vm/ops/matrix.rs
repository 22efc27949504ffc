//! Products of matrices and vectors, and built-in functions of matrices.
//!
//! Sums and differences of matrices, and products of a matrix and a scalar, are component-wise: see
//! [`super::binary`].

use super::lane::{Lane, by_scalar};
use super::number::Float;
use super::{Slot, slots};
use naga::Scalar;

/// The numbers of columns and rows of a matrix. A column vector is a matrix with one column, a row vector one
/// with one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of columns.
    pub columns: usize,
    /// Number of rows: components of a column.
    pub rows: usize,
}

/// Computes `out = left * right`: matrix times matrix, matrix times vector (`right` has one column), or
/// vector times matrix (`left` has one row). `left.columns` equals `right.rows`.
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

/// Computes `out = transpose(matrix)`.
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

/// Computes `out = outerProduct(column, row)`, a matrix with as many rows as `column` has components.
pub(super) fn outer<L: Lane<Value: Float>, const N: usize>(
    column: &[Slot<N>],
    row: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    let column_of_one = Shape { columns: 1, rows: column.len() / L::SLOTS };
    let row_of_one = Shape { columns: row.len() / L::SLOTS, rows: 1 };
    product::<L, N>((column, column_of_one), (row, row_of_one), out);
}

/// Computes `out = determinant(matrix)` of a square matrix.
pub(super) fn determinant<L: Lane<Value: Float>, const N: usize>(
    matrix: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    for lane in 0..N {
        L::write(out, lane, Square::read::<L, N>(matrix, lane).determinant());
    }
}

/// Computes `out = inverse(matrix)` of a square matrix: its adjugate divided by its determinant, so
/// infinities and NaN if it is singular.
pub(super) fn inverse<L: Lane<Value: Float>, const N: usize>(
    matrix: &[Slot<N>],
    out: &mut [Slot<N>],
) {
    for lane in 0..N {
        let matrix = Square::read::<L, N>(matrix, lane);
        let determinant = matrix.determinant();
        for (index, out) in out.chunks_exact_mut(L::SLOTS).enumerate() {
            let (column, row) = (index / matrix.size, index % matrix.size);
            L::write(out, lane, matrix.cofactor(row, column) / determinant);
        }
    }
}

/// A square matrix in one lane, with up to 4 columns.
#[derive(Clone, Copy)]
struct Square<F> {
    columns: [[F; 4]; 4],
    size: usize,
}

impl<F: Float> Square<F> {
    fn read<L: Lane<Value = F>, const N: usize>(slots: &[Slot<N>], lane: usize) -> Self {
        let components = slots.len() / L::SLOTS;
        let size = (1..4).find(|size| size * size >= components).unwrap_or(4);
        let mut columns = [[F::default(); 4]; 4];
        for (column, slots) in columns.iter_mut().zip(slots.chunks_exact(size * L::SLOTS)) {
            for (component, slots) in column.iter_mut().zip(slots.chunks_exact(L::SLOTS)) {
                *component = L::read(slots, lane);
            }
        }
        Self { columns, size }
    }

    /// Returns the determinant, by cofactor expansion along the first column.
    fn determinant(&self) -> F {
        if self.size <= 1 {
            return self.columns[0][0];
        }
        (0..self.size)
            .fold(F::default(), |sum, row| sum + self.columns[0][row] * self.cofactor(0, row))
    }

    /// Returns the signed determinant of the matrix without one column and one row.
    fn cofactor(&self, column: usize, row: usize) -> F {
        let mut columns = [[F::default(); 4]; 4];
        for (to, from) in (0..self.size).filter(|c| *c != column).enumerate() {
            for (to_row, from_row) in (0..self.size).filter(|r| *r != row).enumerate() {
                columns[to][to_row] = self.columns[from][from_row];
            }
        }
        let minor = Self { columns, size: self.size - 1 }.determinant();
        if (column + row).is_multiple_of(2) { minor } else { -minor }
    }
}
