//! `gemm` of PolyBench: `c = alpha a b + beta c`.

/// One invocation per element.
#[hirace::monitor]
pub mod gemm {
    use hirace::prelude::*;

    /// Dimensions of the matrices, and factors.
    pub struct Shape {
        /// Rows of `a` and `c`.
        pub rows: u32,
        /// Columns of `a`, rows of `b`.
        pub inner: u32,
        /// Columns of `b` and `c`.
        pub columns: u32,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of the previous `c`.
        pub beta: f32,
    }

    /// Computes the elements; invocations beyond the last row or column do nothing.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
    ) {
        let (row, column) = (id.y, id.x);
        if row >= shape.rows || column >= shape.columns {
            return;
        }
        let place = row * shape.columns + column;
        let mut sum = shape.beta * c[place];
        for k in 0..shape.inner {
            sum += shape.alpha * a[row * shape.inner + k] * b[k * shape.columns + column];
        }
        c[place] = sum;
    }

    /// Checks only that accesses are in bounds: elements beyond the last column are in the next row.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
    ) {
        let (row, column) = (id.y, id.x);
        let place = row * shape.columns + column;
        if place >= c.len() {
            return;
        }
        let mut sum = shape.beta * c[place];
//                                 ^^^^^^^^ race: read/write on c[..]
        for k in 0..shape.inner {
            sum += shape.alpha * a[row * shape.inner + k] * b[k * shape.columns + column];
        }
        c[place] = sum;
//      ^^^^^^^^ race: write/read on c[..]
//      ^^^^^^^^ race: write/write on c[..]
    }
}

#[cfg(test)]
mod tests {
    use super::gemm::{self, Shape};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch and the expected `c`.
    fn launch(rows: usize, inner: usize, columns: usize) -> (Launch, Vec<f32>) {
        // Buffers may be longer than the matrices.
        let (a, b) = (floats(rows * inner + 8, 90), floats(inner * columns + 8, 91));
        let c = floats(rows * columns, 92);
        let shape = Shape {
            rows: rows as u32,
            inner: inner as u32,
            columns: columns as u32,
            alpha: 1.5,
            beta: 0.5,
        };
        let product = &Matrix::of(rows, inner, &a) * &Matrix::of(inner, columns, &b);
        let expected = product.scaled(1.5) + Matrix::of(rows, columns, &c).scaled(0.5);
        let launch = Launch::new()
            .workgroups([columns.div_ceil(8) as u32, rows.div_ceil(8) as u32])
            .buffer("shape", &shape)
            .buffer("a", &a)
            .buffer("b", &b)
            .buffer("c", &c);
        (launch, expected.floats())
    }

    fn holds(rows: usize, inner: usize, columns: usize) {
        let (launch, expected) = launch(rows, inner, columns);
        let run = clean(&gemm::clean::kernel(), launch);
        assert_close(&run.read::<f32>("c"), &expected, 1e-5);
    }

    #[test]
    fn full_workgroups_give_the_product() {
        holds(16, 12, 8);
    }

    #[test]
    fn matrices_need_not_fill_workgroups() {
        holds(9, 5, 11);
        holds(1, 1, 1);
    }

    #[test]
    fn with_nothing_to_add_up_c_is_scaled() {
        holds(3, 0, 4);
    }

    #[test]
    fn each_coordinate_needs_its_bound() {
        let launch = launch(9, 1, 6).0.workgroups([1, 2]);
        racy(&gemm::racy::kernel(), launch, include_str!("gemm.rs"));
    }
}
