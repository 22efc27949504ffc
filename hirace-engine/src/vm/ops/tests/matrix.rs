//! Tests products of matrices, and functions of matrices.

use super::super::lane::*;
use super::super::matrix::{Shape, multiply, transpose};
use super::{in_one_lane, math, slots, values};
use naga::{MathFunction as Fun, Scalar};
use proptest::prelude::*;

/// A matrix by columns.
type Columns = Vec<Vec<f64>>;

fn flat(columns: &Columns) -> Vec<f64> {
    columns.concat()
}

fn matrix_from(columns: usize, rows: usize, numbers: &[i8]) -> Columns {
    let mut numbers = numbers.iter().cycle().map(|n| f64::from(*n));
    (0..columns).map(|_| numbers.by_ref().take(rows).collect()).collect()
}

fn product<L: Lane<Value: From<f32>>>(
    scalar: Scalar,
    (a, a_shape): (&[f64], Shape),
    (b, b_shape): (&[f64], Shape),
) -> Vec<L::Value> {
    let operand = |values: &[f64]| {
        let values: Vec<L::Value> = values.iter().map(|v| (*v as f32).into()).collect();
        slots::<L, 1>(&in_one_lane(&values))
    };
    let mut out = vec![[0; 1]; b_shape.columns * a_shape.rows * L::SLOTS];
    multiply(scalar, (&operand(a), a_shape), (&operand(b), b_shape), &mut out);
    values::<L, 1>(&out).into_iter().map(|[value]| value).collect()
}

proptest! {
    #[test]
    fn a_product_sums_over_the_inner_dimension(
        numbers in prop::array::uniform32(-9i8..10), inner in 1usize..5, columns in 1usize..5, rows in 1usize..5,
    ) {
        let a = matrix_from(inner, rows, &numbers);
        let b = matrix_from(columns, inner, &numbers[5..]);
        let expected: Vec<f64> = (0..columns)
            .flat_map(|c| (0..rows).map(move |r| (c, r)))
            .map(|(c, r)| (0..inner).map(|k| a[k][r] * b[c][k]).sum())
            .collect();
        let left = (&flat(&a)[..], Shape { columns: inner, rows });
        let right = (&flat(&b)[..], Shape { columns, rows: inner });
        prop_assert_eq!(&product::<F64>(Scalar::F64, left, right), &expected);
        let narrow: Vec<f32> = expected.iter().map(|v| *v as f32).collect();
        prop_assert_eq!(&product::<F32>(Scalar::F32, left, right), &narrow);
        prop_assert_eq!(&product::<F16>(Scalar::F16, left, right), &narrow);
    }

    #[test]
    fn transpose_swaps_rows_and_columns(numbers in prop::array::uniform16(-9i8..10), columns in 2usize..5, rows in 2usize..5) {
        let matrix = matrix_from(columns, rows, &numbers);
        let expected: Vec<[f64; 1]> =
            (0..rows).flat_map(|r| matrix.iter().map(move |column| [column[r]])).collect();
        let operand = slots::<F64, 1>(&in_one_lane(&flat(&matrix)));
        let mut out = vec![[0; 1]; operand.len()];
        transpose(Scalar::F64, &operand, Shape { columns, rows }, &mut out);
        prop_assert_eq!(values::<F64, 1>(&out), expected);
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity(numbers in prop::array::uniform16(-9i8..10), size in 2usize..5) {
        let matrix = flat(&matrix_from(size, size, &numbers));
        let determinant = math::<F64, F64>(Fun::Determinant, Scalar::F64, &[&matrix], 1)[0];
        prop_assert!((determinant - leibniz(&matrix, size)).abs() < 1e-9);
        if determinant.abs() > 0.5 {
            let inverse = math::<F64, F64>(Fun::Inverse, Scalar::F64, &[&matrix], size * size);
            for (column, row) in (0..size).flat_map(|c| (0..size).map(move |r| (c, r))) {
                let found: f64 =
                    (0..size).map(|k| matrix[k * size + row] * inverse[column * size + k]).sum();
                let one = if column == row { 1.0 } else { 0.0 };
                prop_assert!((found - one).abs() < 1e-6, "{found}");
            }
        }
    }
}

/// Returns the determinant by Leibniz's formula: the signed sum over all selections of one element from each
/// row and column.
fn leibniz(matrix: &[f64], size: usize) -> f64 {
    fn go(matrix: &[f64], size: usize, taken: &mut Vec<usize>) -> f64 {
        let column = taken.len();
        if column == size {
            let inversions = (0..size)
                .flat_map(|i| (0..i).map(move |j| (j, i)))
                .filter(|(j, i)| taken[*j] > taken[*i])
                .count();
            return if inversions % 2 == 0 { 1.0 } else { -1.0 };
        }
        let mut sum = 0.0;
        for row in 0..size {
            if !taken.contains(&row) {
                taken.push(row);
                sum += matrix[column * size + row] * go(matrix, size, taken);
                taken.pop();
            }
        }
        sum
    }
    go(matrix, size, &mut Vec::new())
}

#[test]
fn the_outer_product_has_a_column_for_each_component_of_the_row() {
    let found = math::<F32, F32>(Fun::Outer, Scalar::F32, &[&[1.0, 2.0, 3.0], &[10.0, 100.0]], 6);
    assert_eq!(found, [10.0, 20.0, 30.0, 100.0, 200.0, 300.0]);
}
