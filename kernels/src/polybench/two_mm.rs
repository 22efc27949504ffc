//! `2mm` of PolyBench: `d = alpha a b c + beta d`, two products of matrices.

/// One invocation per element, one dispatch per product.
#[hirace::monitor]
pub mod two_mm {
    use hirace::prelude::*;

    /// Dimensions of the matrices, and factors.
    pub struct Shape {
        /// Rows of `a` and `d`.
        pub rows: u32,
        /// Columns of `a`, rows of `b`.
        pub first: u32,
        /// Columns of `b`, rows of `c`.
        pub second: u32,
        /// Columns of `c` and `d`.
        pub columns: u32,
        /// Factor of the products.
        pub alpha: f32,
        /// Factor of the previous `d`.
        pub beta: f32,
    }

    /// Returns an element of a product.
    fn element(
        left: &[f32],
        right: &[f32],
        inner: u32,
        columns: u32,
        row: u32,
        column: u32,
    ) -> f32 {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += left[row * inner + k] * right[k * columns + column];
        }
        sum
    }

    /// First dispatch: computes the first product.
    #[kernel(workgroup_size(8, 8))]
    pub fn multiply_first(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        ab: &mut [f32],
    ) {
        if id.y < shape.rows && id.x < shape.second {
            let sum = element(a, b, shape.first, shape.second, id.y, id.x);
            ab[id.y * shape.second + id.x] = shape.alpha * sum;
        }
    }

    /// Second dispatch: computes the second product.
    #[kernel(workgroup_size(8, 8))]
    pub fn multiply_second(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        ab: &mut [f32],
        c: &[f32],
        d: &mut [f32],
    ) {
        if id.y < shape.rows && id.x < shape.columns {
            let place = id.y * shape.columns + id.x;
            let sum = element(ab, c, shape.second, shape.columns, id.y, id.x);
            d[place] = shape.beta * d[place] + sum;
        }
    }

    /// Uses one dispatch with one workgroup per row: each row of the first product is only used by its workgroup, so
    /// the barrier was assumed to be unnecessary.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        ab: &mut [f32],
        c: &[f32],
        d: &mut [f32],
    ) {
        for column in (lane..shape.second).step_by(16) {
            let sum = element(a, b, shape.first, shape.second, group.x, column);
            ab[group.x * shape.second + column] = shape.alpha * sum;
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on ab[..]
        }
        for column in (lane..shape.columns).step_by(16) {
            let mut sum = 0.0;
            for k in 0..shape.second {
                sum += ab[group.x * shape.second + k] * c[k * shape.columns + column];
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on ab[..]
            }
            d[group.x * shape.columns + column] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::two_mm::{self, Shape};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    /// Returns a launch without a grid, and the expected `ab` and `d`.
    fn launch([rows, first, second, columns]: [usize; 4]) -> (Launch, [Vec<f32>; 2]) {
        let matrix = |rows: usize, columns: usize, seed| {
            // A buffer has at least one element.
            let elements = floats((rows * columns).max(1), seed);
            (Matrix::of(rows, columns, &elements), elements)
        };
        let (a, b) = (matrix(rows, first, 93), matrix(first, second, 94));
        let (c, d) = (matrix(second, columns, 95), matrix(rows, columns, 96));
        let shape = Shape {
            rows: rows as u32,
            first: first as u32,
            second: second as u32,
            columns: columns as u32,
            alpha: 1.5,
            beta: 0.5,
        };
        let product = (&a.0 * &b.0).scaled(1.5);
        let expected = &product * &c.0 + d.0.scaled(0.5);
        let launch = Launch::new()
            .buffer("shape", &shape)
            .buffer("a", &a.1)
            .buffer("b", &b.1)
            .zeros("ab", rows * second)
            .buffer("c", &c.1)
            .buffer("d", &d.1);
        (launch, [product.floats(), expected.floats()])
    }

    fn holds(sides: [usize; 4]) {
        let [rows, _, second, columns] = sides.map(|side| side.div_ceil(8) as u32);
        let (launch, [product, expected]) = launch(sides);
        let launch = launch
            .dispatch("multiply_first", [second, rows])
            .dispatch("multiply_second", [columns, rows]);
        let run = clean(&two_mm::multiply_first::kernel(), launch);
        // Compared too, because wrong signs of both products would cancel in the result.
        assert_close(&run.read::<f32>("ab"), &product, 1e-5);
        assert_close(&run.read::<f32>("d"), &expected, 1e-5);
    }

    #[test]
    fn both_products_are_those_of_the_definition() {
        holds([16, 8, 24, 16]);
    }

    #[test]
    fn matrices_need_not_fill_workgroups() {
        holds([5, 9, 7, 11]);
        holds([1, 1, 1, 1]);
    }

    #[test]
    fn with_nothing_to_add_up_d_is_scaled() {
        holds([3, 0, 4, 5]);
    }

    #[test]
    fn a_row_needs_a_barrier_before_others_read_it() {
        let launch = launch([3, 4, 20, 10]).0.workgroups(3);
        racy(&two_mm::racy::kernel(), launch, include_str!("two_mm.rs"));
    }
}
