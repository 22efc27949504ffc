//! `atax` of PolyBench: a matrix times a vector, and the transposed matrix times the result.

/// Computes `y = aᵀ (a x)`.
#[hirace::monitor]
pub mod atax {
    use hirace::prelude::*;

    /// First dispatch: one invocation per row.
    #[kernel(workgroup_size(32))]
    pub fn rows(
        #[builtin(global_invocation_id)] id: UVec3,
        a: &[f32],
        x: &[f32],
        product: &mut [f32],
    ) {
        if id.x < product.len() {
            let mut sum = 0.0;
            for column in 0..x.len() {
                sum += a[id.x * x.len() + column] * x[column];
            }
            product[id.x] = sum;
        }
    }

    /// Second dispatch: one invocation per column, so that neighbors read adjacent elements.
    #[kernel(workgroup_size(32))]
    pub fn columns(
        #[builtin(global_invocation_id)] id: UVec3,
        a: &[f32],
        product: &mut [f32],
        y: &mut [f32],
    ) {
        if id.x < y.len() {
            let mut sum = 0.0;
            for row in 0..product.len() {
                sum += a[row * y.len() + id.x] * product[row];
            }
            y[id.x] = sum;
        }
    }

    /// Uses one dispatch, like the loop of the sequential program: each row adds its part to all of `y`.
    #[rustfmt::skip]
    #[kernel(workgroup_size(32))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        a: &[f32],
        x: &[f32],
        product: &mut [f32],
        y: &mut [f32],
    ) {
        if id.x < product.len() {
            let mut sum = 0.0;
            for column in 0..x.len() {
                sum += a[id.x * x.len() + column] * x[column];
            }
            for column in 0..x.len() {
                y[column] += a[id.x * x.len() + column] * sum;
//              ^^^^^^^^^ race: read/write on y[..]
//              ^^^^^^^^^ race: write/read on y[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::atax;
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch without a grid, and the expected `y`.
    fn launch(rows: usize, columns: usize) -> (Launch, Vec<f32>) {
        let (a, x) = (floats(rows * columns, 100), floats(columns, 101));
        let matrix = Matrix::of(rows, columns, &a);
        let expected = &matrix.transposed() * &(&matrix * &Matrix::column(&x));
        let launch = Launch::new()
            .buffer("a", &a)
            .buffer("x", &x)
            .zeros("product", rows)
            .zeros("y", columns);
        (launch, expected.floats())
    }

    fn holds(rows: usize, columns: usize) {
        let (launch, expected) = launch(rows, columns);
        let launch = launch
            .dispatch("rows", rows.div_ceil(32) as u32)
            .dispatch("columns", columns.div_ceil(32) as u32);
        let run = clean(&atax::rows::kernel(), launch);
        assert_close(&run.read::<f32>("y"), &expected, 1e-5);
    }

    #[test]
    fn the_product_is_that_of_the_definition() {
        holds(32, 64);
    }

    #[test]
    fn rows_and_columns_need_not_fill_workgroups() {
        holds(45, 7);
        holds(1, 33);
        holds(1, 1);
    }

    #[test]
    fn rows_cannot_all_add_to_y() {
        let launch = launch(20, 6).0.workgroups(1);
        racy(&atax::racy::kernel(), launch, include_str!("atax.rs"));
    }
}
