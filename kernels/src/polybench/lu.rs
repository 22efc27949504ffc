//! `lu` of PolyBench: the LU decomposition of a matrix, one pivot after another.

/// One invocation per row below the pivot's row.
#[hirace::monitor]
pub mod lu {
    use hirace::prelude::*;

    /// Subtracts a multiple of the pivot's row from a row; the factor replaces the element that becomes 0.
    fn eliminate(matrix: &mut [f32], size: u32, pivot: u32, row: u32) {
        let share = matrix[row * size + pivot] / matrix[pivot * size + pivot];
        matrix[row * size + pivot] = share;
        for column in pivot + 1..size {
            matrix[row * size + column] -= share * matrix[pivot * size + column];
        }
    }

    /// First dispatch of a step: eliminates.
    #[kernel(workgroup_size(16))]
    pub fn reduce(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        pivot: &mut u32,
        matrix: &mut [f32],
    ) {
        let row = *pivot + 1 + id.x;
        if row < size {
            eliminate(matrix, size, *pivot, row);
        }
    }

    /// Second dispatch, of one invocation: advances to the next pivot.
    #[kernel(workgroup_size(1))]
    pub fn advance(pivot: &mut u32) {
        *pivot += 1;
    }

    /// Does all steps in one dispatch: another workgroup may write the next pivot's row, and `storage_barrier()`
    /// does not order that.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        matrix: &mut [f32],
    ) {
        let row = id.x;
        for pivot in 0..size {
            if row > pivot && row < size {
                let share = matrix[row * size + pivot] / matrix[pivot * size + pivot];
//                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on matrix[..]
                matrix[row * size + pivot] = share;
                for column in pivot + 1..size {
                    matrix[row * size + column] -= share * matrix[pivot * size + column];
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on matrix[..]
//                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on matrix[..]
                }
            }
            storage_barrier();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lu;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a diagonally dominant matrix.
    fn matrix(size: usize) -> Vec<f32> {
        let mut matrix = floats(size * size, 148);
        matrix.iter_mut().step_by(size + 1).for_each(|pivot| *pivot += size as f32);
        matrix
    }

    fn launch(matrix: &[f32], size: usize) -> Launch {
        Launch::new().buffer("size", &(size as u32)).buffer("pivot", &0u32).buffer("matrix", matrix)
    }

    fn holds(size: usize) {
        let matrix = matrix(size);
        let mut launch = launch(&matrix, size).dispatch("reduce", size.div_ceil(16) as u32);
        for below in (1..size as u32).rev() {
            launch = launch.dispatch("advance", 1).dispatch("reduce", below.div_ceil(16));
        }
        let run = clean(&lu::reduce::kernel(), launch);
        let (lower, upper) = Matrix::of(size, size, &run.read::<f32>("matrix")).triangles();
        assert_close(&(&lower * &upper).floats(), &matrix, 1e-5);
    }

    #[test]
    fn the_product_of_both_parts_is_the_matrix() {
        holds(24);
    }

    #[test]
    fn small_matrices_are_decomposed_too() {
        holds(5);
        holds(2);
        holds(1);
    }

    #[test]
    fn pivots_of_other_workgroups_take_a_dispatch() {
        racy(&lu::racy::kernel(), launch(&matrix(18), 18).workgroups(2), include_str!("lu.rs"));
    }
}
