//! `lud` of Rodinia: the LU decomposition of a matrix, by blocks.

/// Each step finishes a diagonal block, then the blocks below it and to its right, and then subtracts their
/// product from the remaining matrix.
#[hirace::monitor]
pub mod lud {
    use hirace::prelude::*;

    const SIDE: usize = 8;

    /// First dispatch of a step, of one workgroup: decomposes the diagonal block. It alternates between a column below
    /// the diagonal and the row to the right of it, with a barrier after each.
    #[kernel(workgroup_size(SIDE))]
    pub fn diagonal(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        #[workgroup] block: &mut [[f32; SIDE]; SIDE],
    ) {
        let corner = *step * SIDE as u32 * (size + 1);
        for y in 0..SIDE as u32 {
            block[y][lane] = matrix[corner + y * size + lane];
        }
        workgroup_barrier();
        for i in 0..SIDE as u32 - 1 {
            if lane > i {
                for k in 0..i {
                    block[lane][i] -= block[lane][k] * block[k][i];
                }
                block[lane][i] /= block[i][i];
            }
            workgroup_barrier();
            if lane > i {
                for k in 0..=i {
                    block[i + 1][lane] -= block[i + 1][k] * block[k][lane];
                }
            }
            workgroup_barrier();
        }
        for y in 0..SIDE as u32 {
            matrix[corner + y * size + lane] = block[y][lane];
        }
    }

    /// Second dispatch: one workgroup per block to the right, with one column per lane, and for the block at the same
    /// distance below, with one row per lane.
    #[kernel(workgroup_size(16))]
    pub fn perimeter(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        #[workgroup] block: &mut [[f32; SIDE]; SIDE],
    ) {
        let side = SIDE as u32;
        let corner = *step * side * (size + 1);
        let away = (group.x + 1) * side;
        if lane < side {
            for y in 0..side {
                block[y][lane] = matrix[corner + y * size + lane];
            }
        }
        workgroup_barrier();
        if lane < side {
            let first = corner + away + lane;
            for y in 1..side {
                for k in 0..y {
                    matrix[first + y * size] -= block[y][k] * matrix[first + k * size];
                }
            }
        } else {
            let first = corner + (away + lane - side) * size;
            for x in 0..side {
                for k in 0..x {
                    matrix[first + x] -= matrix[first + k] * block[k][x];
                }
                matrix[first + x] /= block[x][x];
            }
        }
    }

    /// Third dispatch: one workgroup per remaining block.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn internal(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        #[workgroup] below: &mut [[f32; SIDE]; SIDE],
        #[workgroup] right: &mut [[f32; SIDE]; SIDE],
    ) {
        let (side, x, y) = (SIDE as u32, local.x, local.y);
        let start = *step * side;
        let (row, column) = ((*step + 1 + group.y) * side + y, (*step + 1 + group.x) * side + x);
        below[y][x] = matrix[row * size + start + x];
        right[y][x] = matrix[(start + y) * size + column];
        workgroup_barrier();
        let mut sum = 0.0;
        for k in 0..side {
            sum += below[y][k] * right[k][x];
        }
        matrix[row * size + column] -= sum;
    }

    /// Fourth dispatch, of one invocation: advances the step.
    #[kernel(workgroup_size(1))]
    pub fn advance(step: &mut u32) {
        *step += 1;
    }

    /// Lacks the barrier between the column and the row: the row to the right needs the whole column.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[uniform] size: u32,
        step: &mut u32,
        matrix: &mut [f32],
        #[workgroup] block: &mut [[f32; SIDE]; SIDE],
    ) {
        let corner = *step * SIDE as u32 * (size + 1);
        for y in 0..SIDE as u32 {
            block[y][lane] = matrix[corner + y * size + lane];
        }
        workgroup_barrier();
        for i in 0..SIDE as u32 - 1 {
            if lane > i {
                for k in 0..i {
                    block[lane][i] -= block[lane][k] * block[k][i];
//                  ^^^^^^^^^^^^^^ race: write/read on block[..][..]
                }
                block[lane][i] /= block[i][i];
//              ^^^^^^^^^^^^^^ race: write/read on block[..][..]
                for k in 0..=i {
                    block[i + 1][lane] -= block[i + 1][k] * block[k][lane];
//                                        ^^^^^^^^^^^^^^^ race: read/write on block[..][..]
                }
            }
            workgroup_barrier();
        }
        for y in 0..SIDE as u32 {
            matrix[corner + y * size + lane] = block[y][lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lud;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a diagonally dominant matrix.
    fn matrix(size: usize) -> Vec<f32> {
        let mut matrix = floats(size * size, 81);
        matrix.iter_mut().step_by(size + 1).for_each(|pivot| *pivot += size as f32);
        matrix
    }

    fn launch(matrix: &[f32], size: usize) -> Launch {
        Launch::new().buffer("size", &(size as u32)).buffer("step", &0u32).buffer("matrix", matrix)
    }

    fn holds(size: usize) {
        let matrix = matrix(size);
        let mut launch = launch(&matrix, size);
        for left in (0..size as u32 / 8).rev() {
            launch = launch.dispatch("diagonal", 1);
            if left > 0 {
                launch = launch.dispatch("perimeter", left).dispatch("internal", [left, left]);
            }
            launch = launch.dispatch("advance", 1);
        }
        let run = clean(&lud::diagonal::kernel(), launch);
        let (lower, upper) = Matrix::of(size, size, &run.read::<f32>("matrix")).triangles();
        assert_close(&(&lower * &upper).floats(), &matrix, 1e-5);
    }

    #[test]
    fn the_product_of_both_parts_is_the_matrix() {
        holds(24);
    }

    #[test]
    fn one_block_and_two_are_decomposed_too() {
        holds(8);
        holds(16);
    }

    #[test]
    fn a_column_must_be_whole_before_the_next_row() {
        racy(&lud::racy::kernel(), launch(&matrix(8), 8).workgroups(1), include_str!("lud.rs"));
    }
}
