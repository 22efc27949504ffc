//! `mvt` of PolyBench: products of a matrix and of its transpose with vectors, each added to another vector.

/// Computes `x1 += a y1` and `x2 += aᵀ y2`.
#[hirace::monitor]
pub mod mvt {
    use hirace::prelude::*;

    /// Works with any grid: each invocation advances by the total number of invocations.
    #[kernel(workgroup_size(16))]
    pub fn rows(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        a: &[f32],
        y1: &[f32],
        x1: &mut [f32],
    ) {
        for row in (id.x..x1.len()).step_by(16 * groups.x) {
            let mut sum = 0.0;
            for column in 0..x1.len() {
                sum += a[row * x1.len() + column] * y1[column];
            }
            x1[row] += sum;
        }
    }

    /// Does the same with columns.
    #[kernel(workgroup_size(16))]
    pub fn columns(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        a: &[f32],
        y2: &[f32],
        x2: &mut [f32],
    ) {
        for column in (id.x..x2.len()).step_by(16 * groups.x) {
            let mut sum = 0.0;
            for row in 0..x2.len() {
                sum += a[row * x2.len() + column] * y2[row];
            }
            x2[column] += sum;
        }
    }

    /// Advances by the size of a workgroup: several workgroups add to the same rows.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        a: &[f32],
        y1: &[f32],
        x1: &mut [f32],
    ) {
        for row in (id.x..x1.len()).step_by(16) {
            let mut sum = 0.0;
            for column in 0..x1.len() {
                sum += a[row * x1.len() + column] * y1[column];
            }
            x1[row] += sum;
//          ^^^^^^^ race: read/write on x1[..]
//          ^^^^^^^ race: write/read on x1[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mvt;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    fn holds(size: usize, workgroups: u32) {
        let a = floats(size * size, 107);
        let [y1, y2, x1, x2] = [108, 109, 110, 111].map(|seed| floats(size, seed));
        let launch = Launch::new()
            .buffer("a", &a)
            .buffer("y1", &y1)
            .buffer("y2", &y2)
            .buffer("x1", &x1)
            .buffer("x2", &x2)
            .dispatch("rows", workgroups)
            .dispatch("columns", workgroups);
        let run = clean(&mvt::rows::kernel(), launch);
        let matrix = Matrix::of(size, size, &a);
        let first = Matrix::column(&x1) + &matrix * &Matrix::column(&y1);
        let second = Matrix::column(&x2) + &matrix.transposed() * &Matrix::column(&y2);
        assert_close(&run.read::<f32>("x1"), &first.floats(), 1e-5);
        assert_close(&run.read::<f32>("x2"), &second.floats(), 1e-5);
    }

    #[test]
    fn both_products_are_added() {
        holds(48, 3);
    }

    #[test]
    fn grids_may_be_smaller_and_larger_than_the_matrix() {
        holds(50, 2);
        holds(9, 4);
        holds(1, 1);
    }

    #[test]
    fn the_stride_is_that_of_the_whole_grid() {
        let launch = Launch::new()
            .workgroups(2)
            .buffer("a", &floats(32 * 32, 107))
            .buffer("y1", &floats(32, 108))
            .buffer("x1", &floats(32, 110));
        racy(&mvt::racy::kernel(), launch, include_str!("mvt.rs"));
    }
}
