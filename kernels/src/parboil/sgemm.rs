//! `sgemm` of Parboil: a matrix product with one tile in workgroup memory and another in registers.

/// Computes `c = alpha a bᵀ + beta c`, row-major. An invocation computes four rows of a column, in registers.
#[hirace::monitor]
pub mod sgemm {
    use hirace::prelude::*;

    const SIDE: usize = 8;
    const ROWS: usize = 4;

    /// Dimensions of the matrices, and factors.
    pub struct Shape {
        /// Rows of `a` and `c`.
        pub rows: u32,
        /// Columns of `a` and of `b`.
        pub inner: u32,
        /// Columns of `c`, rows of `b`.
        pub columns: u32,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of the previous `c`.
        pub beta: f32,
    }

    /// Computes 8×8 elements per workgroup of 8×2 invocations.
    #[kernel(workgroup_size(SIDE, 2))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
        #[workgroup] tile: &mut [[f32; SIDE]; SIDE],
    ) {
        let (column, first) = (id.x, ROWS as u32 * id.y);
        let mut sums = [0.0; ROWS];
        for start in (0..shape.inner).step_by(SIDE as u32) {
            for k in (local.y..SIDE as u32).step_by(2) {
                let inside = start + k < shape.inner && column < shape.columns;
                tile[k][local.x] = if inside { b[column * shape.inner + start + k] } else { 0.0 };
            }
            workgroup_barrier();
            for k in 0..min(SIDE as u32, shape.inner - start) {
                for row in 0..min(ROWS as u32, shape.rows - min(first, shape.rows)) {
                    sums[row] += a[(first + row) * shape.inner + start + k] * tile[k][local.x];
                }
            }
            workgroup_barrier();
        }
        for row in 0..ROWS as u32 {
            if first + row < shape.rows && column < shape.columns {
                let place = (first + row) * shape.columns + column;
                c[place] = shape.alpha * sums[row] + shape.beta * c[place];
            }
        }
    }

    /// Computes four rows per invocation, but starts at the invocation's own number instead of four times that:
    /// several invocations write the same row.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, 2))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
        #[workgroup] tile: &mut [[f32; SIDE]; SIDE],
    ) {
        let (column, first) = (id.x, id.y);
        let mut sums = [0.0; ROWS];
        for start in (0..shape.inner).step_by(SIDE as u32) {
            for k in (local.y..SIDE as u32).step_by(2) {
                let inside = start + k < shape.inner && column < shape.columns;
                tile[k][local.x] = if inside { b[column * shape.inner + start + k] } else { 0.0 };
            }
            workgroup_barrier();
            for k in 0..min(SIDE as u32, shape.inner - start) {
                for row in 0..min(ROWS as u32, shape.rows - min(first, shape.rows)) {
                    sums[row] += a[(first + row) * shape.inner + start + k] * tile[k][local.x];
                }
            }
            workgroup_barrier();
        }
        for row in 0..ROWS as u32 {
            if first + row < shape.rows && column < shape.columns {
                let place = (first + row) * shape.columns + column;
                c[place] = shape.alpha * sums[row] + shape.beta * c[place];
//              ^^^^^^^^ race: write/read on c[..]
//                                                                ^^^^^^^^ race: read/write on c[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sgemm::{self, Shape};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch and the expected `c`.
    fn launch(rows: usize, inner: usize, columns: usize) -> (Launch, Vec<f32>) {
        let (alpha, beta) = (1.5, -0.5);
        let matrix = |rows: usize, columns: usize, seed| {
            // A buffer has at least one element.
            let elements = floats((rows * columns).max(1), seed);
            (Matrix::of(rows, columns, &elements), elements)
        };
        let (a, b, c) =
            (matrix(rows, inner, 57), matrix(columns, inner, 58), matrix(rows, columns, 59));
        let shape =
            Shape { rows: rows as u32, inner: inner as u32, columns: columns as u32, alpha, beta };
        let expected = (&a.0 * &b.0.transposed()).scaled(1.5) + c.0.scaled(-0.5);
        let launch = Launch::new()
            .workgroups([columns.div_ceil(8) as u32, rows.div_ceil(8) as u32])
            .buffer("shape", &shape)
            .buffer("a", &a.1)
            .buffer("b", &b.1)
            .buffer("c", &c.1);
        (launch, expected.floats())
    }

    fn holds(rows: usize, inner: usize, columns: usize) {
        let (launch, expected) = launch(rows, inner, columns);
        let run = clean(&sgemm::clean::kernel(), launch);
        assert_close(&run.read::<f32>("c"), &expected, 1e-5);
    }

    #[test]
    fn full_tiles_give_the_product() {
        holds(16, 24, 8);
    }

    #[test]
    fn sides_need_not_be_multiples_of_the_tile() {
        holds(9, 13, 11);
        holds(1, 1, 1);
    }

    #[test]
    fn with_nothing_to_add_up_c_is_scaled() {
        holds(5, 0, 9);
    }

    #[test]
    fn rows_must_have_one_invocation() {
        racy(&sgemm::racy::kernel(), launch(8, 8, 8).0, include_str!("sgemm.rs"));
    }
}
