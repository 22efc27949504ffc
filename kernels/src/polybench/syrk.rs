//! `syrk` of PolyBench: the lower half of `c = alpha a aᵀ + beta c`.

/// Only the lower triangle of `c` is stored, with its rows packed one after another.
#[hirace::monitor]
pub mod syrk {
    use hirace::prelude::*;

    /// Dimensions of `a`, and factors.
    pub struct Shape {
        /// Rows of `a`, and of `c`.
        pub rows: u32,
        /// Columns of `a`.
        pub columns: u32,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of the previous `c`.
        pub beta: f32,
    }

    /// Returns an element of the product: the product of two rows.
    fn product(a: &[f32], columns: u32, i: u32, j: u32) -> f32 {
        let mut sum = 0.0;
        for k in 0..columns {
            sum += a[i * columns + k] * a[j * columns + k];
        }
        sum
    }

    /// Computes the lower triangle; invocations above the diagonal do nothing.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        c: &mut [f32],
    ) {
        let (row, column) = (id.y, id.x);
        if row < shape.rows && column <= row {
            let place = row * (row + 1) / 2 + column;
            let sum = product(a, shape.columns, row, column);
            c[place] = shape.beta * c[place] + shape.alpha * sum;
        }
    }

    /// Works as for a full matrix: elements above the diagonal overlap the next rows.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        c: &mut [f32],
    ) {
        let (row, column) = (id.y, id.x);
        if row < shape.rows && column < shape.rows {
            let place = row * (row + 1) / 2 + column;
            if place < c.len() {
                let sum = product(a, shape.columns, row, column);
                c[place] = shape.beta * c[place] + shape.alpha * sum;
//              ^^^^^^^^ race: write/read on c[..]
//                                      ^^^^^^^^ race: read/write on c[..]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::syrk::{self, Shape};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch and the expected `c`.
    fn launch(rows: usize, columns: usize) -> (Launch, Vec<f32>) {
        // A buffer has at least one element.
        let a = floats((rows * columns).max(1), 120);
        let c = floats(rows * (rows + 1) / 2, 121);
        let matrix = Matrix::of(rows, columns, &a);
        let product = &matrix * &matrix.transposed();
        let triangle = (0..rows).flat_map(|row| (0..=row).map(move |column| (row, column)));
        let element = |(at, c): ((usize, usize), &f32)| (1.5 * product[at]) as f32 - 0.5 * c;
        let expected = triangle.zip(&c).map(element).collect();
        let shape = Shape { rows: rows as u32, columns: columns as u32, alpha: 1.5, beta: -0.5 };
        let across = rows.div_ceil(8) as u32;
        let launch = Launch::new()
            .workgroups([across, across])
            .buffer("shape", &shape)
            .buffer("a", &a)
            .buffer("c", &c);
        (launch, expected)
    }

    fn holds(rows: usize, columns: usize) {
        let (launch, expected) = launch(rows, columns);
        let run = clean(&syrk::clean::kernel(), launch);
        assert_close(&run.read::<f32>("c"), &expected, 1e-5);
    }

    #[test]
    fn the_triangle_is_that_of_the_product() {
        holds(24, 16);
    }

    #[test]
    fn the_matrix_need_not_fill_workgroups() {
        holds(13, 3);
        holds(1, 5);
        holds(9, 1);
    }

    #[test]
    fn with_nothing_to_add_up_c_is_scaled() {
        holds(5, 0);
    }

    #[test]
    fn above_the_diagonal_nothing_has_a_place() {
        racy(&syrk::racy::kernel(), launch(8, 4).0, include_str!("syrk.rs"));
    }
}
