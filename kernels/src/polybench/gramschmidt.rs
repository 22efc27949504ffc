//! `gramschmidt` of PolyBench: the QR decomposition of a matrix, column by column.

/// The modified Gram–Schmidt process: `q` replaces the matrix.
#[hirace::monitor]
pub mod gramschmidt {
    use hirace::prelude::*;

    const LANES: usize = 32;

    /// First dispatch of a step, of one workgroup: scales the column to length 1.
    #[kernel(workgroup_size(LANES))]
    pub fn normalize(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] columns: u32,
        step: &mut u32,
        q: &mut [f32],
        r: &mut [f32],
        #[workgroup] squares: &mut [f32; LANES],
    ) {
        let stride_of_lanes = LANES as u32 * columns;
        let first = *step + lane * columns;
        for i in (first..q.len()).step_by(stride_of_lanes) {
            squares[lane] += q[i] * q[i];
        }
        workgroup_barrier();
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            if lane < stride {
                squares[lane] += squares[lane + stride];
            }
            workgroup_barrier();
            stride /= 2;
        }
        let length = sqrt(squares[0]);
        for i in (first..q.len()).step_by(stride_of_lanes) {
            q[i] /= length;
        }
        if lane == 0 {
            r[*step * columns + *step] = length;
        }
    }

    /// Second dispatch: removes the projection on this column from each later column, one invocation per column.
    #[kernel(workgroup_size(8))]
    pub fn project(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] columns: u32,
        step: &mut u32,
        q: &mut [f32],
        r: &mut [f32],
    ) {
        let column = *step + 1 + id.x;
        if column < columns {
            let mut part = 0.0;
            for row in (0..q.len()).step_by(columns) {
                part += q[row + *step] * q[row + column];
            }
            r[*step * columns + column] = part;
            for row in (0..q.len()).step_by(columns) {
                q[row + column] -= part * q[row + *step];
            }
        }
    }

    /// Third dispatch, of one invocation: advances the step.
    #[kernel(workgroup_size(1))]
    pub fn advance(step: &mut u32) {
        *step += 1;
    }

    /// Starts one column too early: the column itself is changed while other invocations read it.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] columns: u32,
        step: &mut u32,
        q: &mut [f32],
        r: &mut [f32],
    ) {
        let column = *step + id.x;
        if column < columns {
            let mut part = 0.0;
            for row in (0..q.len()).step_by(columns) {
                part += q[row + *step] * q[row + column];
//                      ^^^^^^^^^^^^^^ race: read/write on q[..]
            }
            r[*step * columns + column] = part;
            for row in (0..q.len()).step_by(columns) {
                q[row + column] -= part * q[row + *step];
//              ^^^^^^^^^^^^^^^ race: write/read on q[..]
//                                        ^^^^^^^^^^^^^^ race: read/write on q[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::gramschmidt;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn launch(matrix: &[f32], columns: usize) -> Launch {
        Launch::new()
            .buffer("columns", &(columns as u32))
            .buffer("step", &0u32)
            .buffer("q", matrix)
            .zeros("r", columns * columns)
    }

    fn holds(rows: usize, columns: usize) {
        let matrix = floats(rows * columns, 146);
        let mut launch = launch(&matrix, columns);
        for behind in (0..columns as u32).rev() {
            launch = launch.dispatch("normalize", 1);
            if behind > 0 {
                launch = launch.dispatch("project", behind.div_ceil(8));
            }
            launch = launch.dispatch("advance", 1);
        }
        let run = clean(&gramschmidt::normalize::kernel(), launch);
        let q = Matrix::of(rows, columns, &run.read::<f32>("q"));
        let r = Matrix::of(columns, columns, &run.read::<f32>("r"));
        let identity = Matrix::new(columns, columns, |i, j| f64::from(u8::from(i == j)));
        assert_close(&(&q.transposed() * &q).floats(), &identity.floats(), 1e-4);
        assert_close(&(&q * &r).floats(), &matrix, 1e-4);
        assert!((0..columns).all(|i| (0..i).all(|j| r[(i, j)] == 0.0)));
    }

    #[test]
    fn columns_are_orthonormal_and_give_the_matrix_back() {
        holds(40, 10);
    }

    #[test]
    fn square_and_narrow_matrices_are_decomposed_too() {
        holds(6, 6);
        holds(9, 1);
        holds(1, 1);
    }

    #[test]
    fn of_a_single_row_the_first_column_takes_all() {
        let launch = launch(&[-2.0, 3.0, 0.5], 3).dispatch("normalize", 1).dispatch("project", 1);
        let run = clean(&gramschmidt::normalize::kernel(), launch);
        assert_close(&run.read::<f32>("q"), &[-1.0, 0.0, 0.0], 1e-6);
        assert_close(&run.read::<f32>("r")[..3], &[2.0, -3.0, -0.5], 1e-6);
    }

    #[test]
    fn the_column_itself_must_stay() {
        let launch = launch(&floats(24, 147), 4).workgroups(1);
        racy(&gramschmidt::racy::kernel(), launch, include_str!("gramschmidt.rs"));
    }
}
