//! `gaussian` of Rodinia: Gaussian elimination, column by column.

/// A system of equations, row by row, without row exchanges.
#[hirace::monitor]
pub mod gaussian {
    use hirace::prelude::*;

    /// First dispatch of a step: computes the factor of each row.
    #[kernel(workgroup_size(16))]
    pub fn multipliers(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        shares: &mut [f32],
    ) {
        let row = *step + 1 + id.x;
        if row < size {
            shares[row] = matrix[row * size + *step] / matrix[*step * size + *step];
        }
    }

    /// Second dispatch: subtracts multiples of the pivot's row, also from the right-hand side.
    #[kernel(workgroup_size(8, 8))]
    pub fn subtract(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        right: &mut [f32],
        shares: &mut [f32],
    ) {
        let (row, column) = (*step + 1 + id.y, *step + id.x);
        if row < size && column < size {
            matrix[row * size + column] -= shares[row] * matrix[*step * size + column];
            if id.x == 0 {
                right[row] -= shares[row] * right[*step];
            }
        }
    }

    /// Third dispatch, of one invocation: advances the step.
    #[kernel(workgroup_size(1))]
    pub fn advance(step: &mut u32) {
        *step += 1;
    }

    /// Does the first two in one dispatch, with the factor computed by each invocation: some read the pivot's column
    /// when it is already 0.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        right: &mut [f32],
    ) {
        let (row, column) = (*step + 1 + id.y, *step + id.x);
        if row < size && column < size {
            let share = matrix[row * size + *step] / matrix[*step * size + *step];
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on matrix[..]
            matrix[row * size + column] -= share * matrix[*step * size + column];
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on matrix[..]
            if id.x == 0 {
                right[row] -= share * right[*step];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::gaussian;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a diagonally dominant matrix.
    fn matrix(size: usize) -> Vec<f32> {
        let mut matrix = floats(size * size, 79);
        matrix.iter_mut().step_by(size + 1).for_each(|pivot| *pivot += size as f32);
        matrix
    }

    fn launch(matrix: &[f32], right: &[f32]) -> Launch {
        Launch::new()
            .buffer("size", &(right.len() as u32))
            .buffer("step", &0u32)
            .buffer("matrix", matrix)
            .buffer("right", right)
            .zeros("shares", right.len())
    }

    fn holds(size: usize) {
        let (matrix, right) = (matrix(size), floats(size, 80));
        let step = |launch: Launch, step: u32| {
            let left = size as u32 - step;
            launch
                .dispatch("multipliers", left.div_ceil(16))
                .dispatch("subtract", [left.div_ceil(8), left.div_ceil(8)])
                .dispatch("advance", 1)
        };
        let launch = (0..size as u32).fold(launch(&matrix, &right), step);
        let run = clean(&gaussian::subtract::kernel(), launch);
        let upper = Matrix::of(size, size, &run.read::<f32>("matrix"));
        for i in 0..size * size {
            let (row, column) = (i / size, i % size);
            assert!(column >= row || upper[(row, column)].abs() < 1e-5);
        }
        // The solution of the upper triangle is the solution of the system.
        let solution = upper.solve(Matrix::column(&run.read::<f32>("right")));
        let found = &Matrix::of(size, size, &matrix) * &solution;
        assert_close(&found.floats(), &right, 1e-5);
    }

    #[test]
    fn what_is_left_has_the_same_solution() {
        holds(16);
    }

    #[test]
    fn systems_of_any_size_are_solved() {
        holds(11);
        holds(1);
        // More rows than one workgroup has.
        holds(21);
    }

    #[test]
    fn the_column_of_the_pivot_must_stay_until_all_have_read_it() {
        let launch = launch(&matrix(12), &floats(12, 80)).workgroups([2, 2]);
        racy(&gaussian::racy::kernel(), launch, include_str!("gaussian.rs"));
    }
}
