//! The product of two matrices, with tiles of any size.

/// Row-major matrices whose dimensions are multiples of the tile size.
#[hirace::monitor]
pub mod matrix_product {
    use hirace::prelude::*;

    /// Dimensions of the matrices.
    pub struct Shape {
        /// Rows of `a` and `c`.
        pub rows: u32,
        /// Columns of `a`, rows of `b`.
        pub inner: u32,
        /// Columns of `b` and `c`.
        pub columns: u32,
    }

    /// Has a barrier after the tiles are loaded, and one after they are used.
    #[kernel(workgroup_size(TILE, TILE))]
    pub fn clean<const TILE: usize>(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
        #[workgroup] a_tile: &mut [[f32; TILE]; TILE],
        #[workgroup] b_tile: &mut [[f32; TILE]; TILE],
    ) {
        let (x, y) = (local.x, local.y);
        let mut sum = 0.0;
        for start in (0..shape.inner).step_by(TILE as u32) {
            a_tile[y][x] = a[id.y * shape.inner + start + x];
            b_tile[y][x] = b[(start + y) * shape.columns + id.x];
            workgroup_barrier();
            for k in 0..TILE as u32 {
                sum += a_tile[y][k] * b_tile[k][x];
            }
            workgroup_barrier();
        }
        c[id.y * shape.columns + id.x] = sum;
    }

    /// Lacks the second barrier: a fast invocation reloads the tiles while slow ones still use them.
    #[rustfmt::skip]
    #[kernel(workgroup_size(TILE, TILE))]
    pub fn racy<const TILE: usize>(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] shape: &Shape,
        a: &[f32],
        b: &[f32],
        c: &mut [f32],
        #[workgroup] a_tile: &mut [[f32; TILE]; TILE],
        #[workgroup] b_tile: &mut [[f32; TILE]; TILE],
    ) {
        let (x, y) = (local.x, local.y);
        let mut sum = 0.0;
        for start in (0..shape.inner).step_by(TILE as u32) {
            a_tile[y][x] = a[id.y * shape.inner + start + x];
//          ^^^^^^^^^^^^ race: write/read on a_tile[..][..]
            b_tile[y][x] = b[(start + y) * shape.columns + id.x];
//          ^^^^^^^^^^^^ race: write/read on b_tile[..][..]
            workgroup_barrier();
            for k in 0..TILE as u32 {
                sum += a_tile[y][k] * b_tile[k][x];
//                     ^^^^^^^^^^^^ race: read/write on a_tile[..][..]
//                                    ^^^^^^^^^^^^ race: read/write on b_tile[..][..]
            }
        }
        c[id.y * shape.columns + id.x] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::matrix_product::{self, Shape};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    const ROWS: usize = 8;
    const INNER: usize = 16;
    const COLUMNS: usize = 24;

    fn launch(a: &[f32], b: &[f32], tile: usize) -> Launch {
        let shape = Shape { rows: ROWS as u32, inner: INNER as u32, columns: COLUMNS as u32 };
        Launch::new()
            .workgroups([(COLUMNS / tile) as u32, (ROWS / tile) as u32])
            .buffer("shape", &shape)
            .buffer("a", a)
            .buffer("b", b)
            .buffer("c", &[0f32; ROWS * COLUMNS])
    }

    fn matrices() -> (Vec<f32>, Vec<f32>) {
        (floats(ROWS * INNER, 17), floats(INNER * COLUMNS, 18))
    }

    #[test]
    fn tiles_of_any_size_give_the_product() {
        let (a, b) = matrices();
        let element = |i: usize| {
            let (y, x) = (i / COLUMNS, i % COLUMNS);
            (0..INNER).map(|k| a[y * INNER + k] * b[k * COLUMNS + x]).sum()
        };
        let expected: Vec<f32> = (0..ROWS * COLUMNS).map(element).collect();
        let run = clean(&matrix_product::clean::kernel::<8>(), launch(&a, &b, 8));
        assert_close(&run.read::<f32>("c"), &expected, 1e-5);
        let run = clean(&matrix_product::clean::kernel::<4>(), launch(&a, &b, 4));
        assert_close(&run.read::<f32>("c"), &expected, 1e-5);
    }

    #[test]
    fn tiles_in_use_must_not_be_filled() {
        let (a, b) = matrices();
        let launch = launch(&a, &b, 4);
        racy(&matrix_product::racy::kernel::<4>(), launch, include_str!("matrix_product.rs"));
    }
}
