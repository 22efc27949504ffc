//! The LU decomposition of small matrices, column by column, with the multipliers below the diagonal.

/// One workgroup per matrix.
#[hirace::monitor]
pub mod lu_panel {
    use hirace::prelude::*;

    const N: usize = 8;

    /// A square matrix, row by row.
    pub type Matrix = [[f32; N]; N];

    fn largest_below(matrix: &Matrix, column: usize) -> usize {
        let mut pivot = column;
        for row in column + 1..N {
            if matrix[row][column].abs() > matrix[pivot][column].abs() {
                pivot = row;
            }
        }
        pivot
    }

    /// Decomposes with partial pivoting; `order` is the permutation of the rows.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        matrices: &mut [[[f32; N]; N]],
        order: &mut [[u32; N]],
        #[workgroup] a: &mut Matrix,
        #[workgroup] rows: &mut [usize; N],
    ) {
        let UVec3 { x, y, .. } = local;
        let (column, row) = (x as usize, y as usize);
        let matrix = group.x as usize;
        a[row][column] = matrices[matrix][row][column];
        if column == 0 {
            rows[row] = row;
        }
        workgroup_barrier();

        for k in 0..N {
            let pivot = largest_below(a, k);
            workgroup_barrier();
            if row == 0 && pivot != k {
                let upper = a[k][column];
                a[k][column] = std::mem::replace(&mut a[pivot][column], upper);
                if column == 0 {
                    rows.swap(k, pivot);
                }
            }
            workgroup_barrier();
            if row > k && column == k {
                a[row][k] /= a[k][k];
            }
            workgroup_barrier();
            if row > k && column > k {
                a[row][column] -= a[row][k] * a[k][column];
            }
            workgroup_barrier();
        }
        matrices[matrix][row][column] = a[row][column];
        if column == 0 {
            order[matrix][row] = rows[row] as u32;
        }
    }

    /// Computes the factors of a column and uses them without a barrier.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        matrix: &mut [f32],
        #[workgroup] factors: &mut [f32; N],
    ) {
        let (column, row) = (local.x as usize, local.y as usize);
        let own = matrix[row * N + column];
        if column == 0 {
            factors[row] = own / 2.0;
//          ^^^^^^^^^^^^ race: write/read on factors[..]
        }
        matrix[row * N + column] = own - factors[column];
//                                       ^^^^^^^^^^^^^^^ race: read/write on factors[..]
    }
}

#[cfg(test)]
mod tests {
    use super::lu_panel::{self, Matrix};
    use crate::support::{clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn factors_make_the_matrix() {
        let random = floats(128, 170);
        let matrices: Vec<Matrix> = (0..2)
            .map(|m| std::array::from_fn(|i| std::array::from_fn(|j| random[m * 64 + i * 8 + j])))
            .collect();
        let launch = Launch::new().workgroups(2).buffer("matrices", &matrices);
        let run = clean(&lu_panel::clean::kernel(), launch.zeros("order", 2));
        let (lu, order) = (run.read::<Matrix>("matrices"), run.read::<[u32; 8]>("order"));
        for m in 0..2 {
            for i in 0..8 {
                for j in 0..8 {
                    let lower =
                        |k: usize| if k < i { lu[m][i][k] } else { f32::from(u8::from(k == i)) };
                    let upper = |k: usize| if k <= j { lu[m][k][j] } else { 0.0 };
                    let product: f32 = (0..8).map(|k| lower(k) * upper(k)).sum();
                    let expected = matrices[m][order[m][i] as usize][j];
                    assert!((product - expected).abs() < 1e-4, "{product} is not {expected}");
                }
            }
        }
    }

    #[test]
    fn a_column_used_at_once_races() {
        let launch = Launch::new().workgroups(1).buffer("matrix", &floats(64, 171));
        racy(&lu_panel::racy::kernel(), launch, include_str!("lu_panel.rs"));
    }
}
