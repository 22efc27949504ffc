//! `gemver` of PolyBench: two rank-one updates of a matrix, and two products with it.

/// Computes `a += u1 v1ᵀ + u2 v2ᵀ`, `x = beta aᵀ y + z`, `w = alpha a x`.
#[hirace::monitor]
pub mod gemver {
    use hirace::prelude::*;

    /// Factors, and size of the matrix.
    pub struct Shape {
        /// Number of rows and of columns.
        pub size: u32,
        /// Factor of the product with `a`.
        pub alpha: f32,
        /// Factor of the product with the transpose of `a`.
        pub beta: f32,
    }

    /// First dispatch: one invocation per element. `u` and `v` have a component for each update.
    #[kernel(workgroup_size(8, 8))]
    pub fn update(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        u: &[Vec2],
        v: &[Vec2],
        a: &mut [f32],
    ) {
        if id.x < shape.size && id.y < shape.size {
            a[id.y * shape.size + id.x] += dot(u[id.y], v[id.x]);
        }
    }

    /// Second dispatch: one invocation per column; `x` is initially `z`.
    #[kernel(workgroup_size(16))]
    pub fn columns(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &mut [f32],
        y: &[f32],
        x: &mut [f32],
    ) {
        if id.x < shape.size {
            let mut sum = 0.0;
            for row in 0..shape.size {
                sum += a[row * shape.size + id.x] * y[row];
            }
            x[id.x] += shape.beta * sum;
        }
    }

    /// Third dispatch: one invocation per row.
    #[kernel(workgroup_size(16))]
    pub fn rows(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        a: &mut [f32],
        x: &mut [f32],
        w: &mut [f32],
    ) {
        if id.x < shape.size {
            let mut sum = 0.0;
            for column in 0..shape.size {
                sum += a[id.x * shape.size + column] * x[column];
            }
            w[id.x] = shape.alpha * sum;
        }
    }

    /// Does the first two in one dispatch: each invocation updates a row but reads a column.
    #[rustfmt::skip]
    #[kernel(workgroup_size(16))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] shape: &Shape,
        u: &[Vec2],
        v: &[Vec2],
        a: &mut [f32],
        y: &[f32],
        x: &mut [f32],
    ) {
        if id.x < shape.size {
            for column in 0..shape.size {
                a[id.x * shape.size + column] += dot(u[id.x], v[column]);
//              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on a[..]
            }
            let mut sum = 0.0;
            for row in 0..shape.size {
                sum += a[row * shape.size + id.x] * y[row];
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on a[..]
            }
            x[id.x] += shape.beta * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::gemver::{self, Shape};
    use crate::reference::Matrix;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec2;

    fn launch(size: usize) -> Launch {
        Launch::new()
            .buffer("shape", &Shape { size: size as u32, alpha: 1.5, beta: 0.5 })
            .buffer("a", &floats(size * size, 115))
            .buffer("u", &pairs(size, 116))
            .buffer("v", &pairs(size, 117))
            .buffer("y", &floats(size, 118))
            .buffer("x", &floats(size, 119))
            .zeros("w", size)
    }

    fn pairs(size: usize, seed: u32) -> Vec<Vec2> {
        floats(2 * size, seed).chunks(2).map(|c| Vec2::new(c[0], c[1])).collect()
    }

    fn holds(size: usize) {
        let (blocks, lines) = (size.div_ceil(8) as u32, size.div_ceil(16) as u32);
        let launch = launch(size)
            .dispatch("update", [blocks, blocks])
            .dispatch("columns", lines)
            .dispatch("rows", lines);
        let run = clean(&gemver::update::kernel(), launch);
        let [u, v] = [116, 117].map(|seed| Matrix::of(size, 2, &floats(2 * size, seed)));
        let a = Matrix::of(size, size, &floats(size * size, 115)) + &u * &v.transposed();
        let [y, z] = [118, 119].map(|seed| Matrix::column(&floats(size, seed)));
        let x = (&a.transposed() * &y).scaled(0.5) + z;
        assert_close(&run.read::<f32>("a"), &a.floats(), 1e-5);
        assert_close(&run.read::<f32>("x"), &x.floats(), 1e-5);
        assert_close(&run.read::<f32>("w"), &(&a * &x).scaled(1.5).floats(), 1e-5);
    }

    #[test]
    fn updates_and_products_are_those_of_the_definition() {
        holds(32);
    }

    #[test]
    fn the_matrix_need_not_fill_workgroups() {
        holds(19);
        holds(1);
    }

    #[test]
    fn a_column_is_updated_by_many() {
        racy(&gemver::racy::kernel(), launch(20).workgroups(2), include_str!("gemver.rs"));
    }
}
