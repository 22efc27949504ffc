//! The product of two matrices, tile by tile.

/// Each workgroup computes one tile.
#[hirace::monitor]
pub mod tiled_product {
    use hirace::prelude::*;

    const TILE: usize = 8;

    /// A square part of a matrix.
    pub type Tile = [[f32; TILE]; TILE];

    /// Dimensions of the matrices: `rows` by `inner`, and `inner` by `columns`.
    #[derive(Clone, Copy, Debug)]
    pub struct Shape {
        /// Number of rows of the first matrix.
        pub rows: u32,
        /// Number of columns of the first matrix and of rows of the second.
        pub inner: u32,
        /// Number of columns of the second matrix.
        pub columns: u32,
    }

    fn element(matrix: &[f32], row: usize, column: usize, rows: usize, columns: usize) -> f32 {
        if row < rows && column < columns { matrix[row * columns + column] } else { 0.0 }
    }

    fn dot(left: &Tile, right: &Tile, row: usize, column: usize) -> f32 {
        left[row].iter().zip(right.iter()).map(|(a, line)| a * line[column]).sum::<f32>()
    }

    /// Multiplies matrices of any dimensions; tiles at the edges are filled with zeros.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[uniform] shape: Shape,
        a: &[f32],
        b: &[f32],
        product: &mut [f32],
        #[workgroup] left: &mut Tile,
        #[workgroup] right: &mut Tile,
    ) {
        let Shape { rows, inner, columns } = shape;
        let (rows, inner, columns) = (rows as usize, inner as usize, columns as usize);
        let (row, column) = (id.y as usize, id.x as usize);
        let (y, x) = (local.y as usize, local.x as usize);

        let mut sum = 0.0;
        for start in (0..inner).step_by(TILE) {
            left[y][x] = element(a, row, start + x, rows, inner);
            right[y][x] = element(b, start + y, column, inner, columns);
            workgroup_barrier();
            sum += dot(left, right, y, x);
            workgroup_barrier();
        }
        if row < rows && column < columns {
            product[row * columns + column] = sum;
        }
    }

    /// Multiplies square matrices of whole tiles; the next tile is loaded while other invocations still read this one.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        a: &[f32],
        product: &mut [f32],
        #[workgroup] tile: &mut Tile,
    ) {
        const SIZE: usize = 2 * TILE;
        let (row, column) = (id.y as usize, id.x as usize);
        let (y, x) = (local.y as usize, local.x as usize);

        let mut sum = 0.0;
        for start in (0..SIZE).step_by(TILE) {
            tile[y][x] = a[row * SIZE + start + x];
//          ^^^^^^^^^^ race: write/read on tile[..][..]
            workgroup_barrier();
            for k in 0..TILE {
                sum += tile[y][k];
//                     ^^^^^^^^^^ race: read/write on tile[..][..]
            }
        }
        product[row * SIZE + column] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::tiled_product::{self, Shape};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    #[test]
    fn every_element_is_a_row_by_a_column() {
        let (rows, inner, columns) = (13, 19, 11);
        let (a, b) = (floats(rows * inner, 7), floats(inner * columns, 8));
        let shape = Shape { rows: 13, inner: 19, columns: 11 };
        let launch = Launch::new().workgroups([2, 2]).buffer("shape", &shape);
        let launch = launch.buffer("a", &a).buffer("b", &b).zeros("product", rows * columns);
        let run = clean(&tiled_product::clean::kernel(), launch);
        let mut expected = vec![0.0; rows * columns];
        for i in 0..rows {
            for j in 0..columns {
                for k in 0..inner {
                    expected[i * columns + j] += a[i * inner + k] * b[k * columns + j];
                }
            }
        }
        assert_close(&run.read::<f32>("product"), &expected, 1e-5);
    }

    #[test]
    fn a_tile_that_is_overwritten_too_early_races() {
        let launch = Launch::new().workgroups([2, 2]).buffer("a", &floats(256, 9));
        let launch = launch.zeros("product", 256);
        racy(&tiled_product::racy::kernel(), launch, include_str!("tiled_product.rs"));
    }
}
