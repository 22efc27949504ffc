//! `syr2k` of PolyBench: `c = alpha a bᵀ + alpha b aᵀ + beta c`, below and on the diagonal.

/// One invocation per element.
#[hirace::monitor]
pub mod syr2k {
    use hirace::prelude::*;

    /// Dimensions of `a` and `b`, and factors.
    pub struct Shape {
        /// Rows of `a` and `b`, and of `c`.
        pub rows: u32,
        /// Columns of `a` and `b`.
        pub columns: u32,
        /// Factor of the products.
        pub alpha: f32,
        /// Factor of the previous `c`.
        pub beta: f32,
    }

    /// Returns an element of a product: the product of two rows.
    fn product(left: &[f32], right: &[f32], columns: u32, i: u32, j: u32) -> f32 {
        let mut sum = 0.0;
        for k in 0..columns {
            sum += left[i * columns + k] * right[j * columns + k];
        }
        sum
    }

    /// Computes both products with one invocation.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
    ) {
        let (row, column) = (id.y, id.x);
        if row < shape.rows && column <= row {
            let mut sum = product(a, b, shape.columns, row, column);
            sum += product(b, a, shape.columns, row, column);
            let place = row * shape.rows + column;
            c[place] = shape.beta * c[place] + shape.alpha * sum;
        }
    }

    /// Uses one layer of the grid per product, for more parallelism: both layers add to the same element.
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
        if row < shape.rows && column <= row {
            let sum = if id.z == 0 {
                product(a, b, shape.columns, row, column)
            } else {
                product(b, a, shape.columns, row, column)
            };
            c[row * shape.rows + column] += shape.alpha * sum;
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on c[..]
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on c[..]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::syr2k::{self, Shape};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch without a grid, and the expected `c`.
    fn launch(rows: usize, columns: usize) -> (Launch, Vec<f32>) {
        let matrix = |columns: usize, seed| {
            // A buffer has at least one element.
            let elements = floats((rows * columns).max(1), seed);
            (Matrix::of(rows, columns, &elements), elements)
        };
        let (a, b, c) = (matrix(columns, 122), matrix(columns, 123), matrix(rows, 124));
        let products = &a.0 * &b.0.transposed() + &b.0 * &a.0.transposed();
        let expected = Matrix::new(rows, rows, |row, column| {
            let old = c.0[(row, column)];
            if column <= row { 1.5 * products[(row, column)] - 0.5 * old } else { old }
        });
        let shape = Shape { rows: rows as u32, columns: columns as u32, alpha: 1.5, beta: -0.5 };
        let launch = Launch::new()
            .buffer("shape", &shape)
            .buffer("a", &a.1)
            .buffer("b", &b.1)
            .buffer("c", &c.1);
        (launch, expected.floats())
    }

    fn holds(rows: usize, columns: usize) {
        let (launch, expected) = launch(rows, columns);
        let across = rows.div_ceil(8) as u32;
        let run = clean(&syr2k::clean::kernel(), launch.workgroups([across, across]));
        assert_close(&run.read::<f32>("c"), &expected, 1e-5);
    }

    #[test]
    fn the_lower_half_is_that_of_the_products() {
        holds(24, 16);
    }

    #[test]
    fn matrices_need_not_fill_workgroups() {
        holds(11, 6);
        holds(1, 1);
    }

    #[test]
    fn with_nothing_to_add_up_c_is_scaled() {
        holds(5, 0);
    }

    #[test]
    fn two_layers_cannot_add_to_an_element() {
        let launch = launch(8, 4).0.workgroups([1, 1, 2]);
        racy(&syr2k::racy::kernel(), launch, include_str!("syr2k.rs"));
    }
}
