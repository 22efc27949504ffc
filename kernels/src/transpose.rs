//! Transposes a matrix by tiles whose rows are padded, so that columns are in different banks.

/// 8×8 elements per workgroup.
#[hirace::monitor]
pub mod transpose {
    use hirace::prelude::*;

    const SIDE: usize = 8;
    const PADDED: usize = SIDE + 1;

    /// Writes the tile by rows, and reads it by columns.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        matrix: &[f32],
        transposed: &mut [f32],
        #[workgroup] tile: &mut [[f32; PADDED]; SIDE],
    ) {
        let side = SIDE as u32;
        let size = groups.xy() * side;
        let from = group.xy() * side + local.xy();
        tile[local.y][local.x] = matrix[from.y * size.x + from.x];
        workgroup_barrier();
        let to = group.yx() * side + local.xy();
        transposed[to.y * size.y + to.x] = tile[local.x][local.y];
    }

    /// Uses `storage_barrier()`, which orders storage memory but not the tile in workgroup memory.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[builtin(num_workgroups)] groups: UVec3,
        matrix: &[f32],
        transposed: &mut [f32],
        #[workgroup] tile: &mut [[f32; PADDED]; SIDE],
    ) {
        let side = SIDE as u32;
        let size = groups.xy() * side;
        let from = group.xy() * side + local.xy();
        tile[local.y][local.x] = matrix[from.y * size.x + from.x];
//      ^^^^^^^^^^^^^^^^^^^^^^ race: write/read on tile[..][..]
        storage_barrier();
        let to = group.yx() * side + local.xy();
        transposed[to.y * size.y + to.x] = tile[local.x][local.y];
//                                         ^^^^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..][..]
    }
}

#[cfg(test)]
mod tests {
    use super::transpose;
    use crate::support::{clean, floats, racy};
    use hirace::Launch;

    const WIDTH: usize = 24;
    const HEIGHT: usize = 16;

    fn launch(matrix: &[f32]) -> Launch {
        Launch::new()
            .workgroups([3, 2])
            .buffer("matrix", matrix)
            .buffer("transposed", &[0f32; WIDTH * HEIGHT])
    }

    #[test]
    fn rows_become_columns() {
        let matrix = floats(WIDTH * HEIGHT, 19);
        let run = clean(&transpose::clean::kernel(), launch(&matrix));
        let element = |i: usize| matrix[i % HEIGHT * WIDTH + i / HEIGHT];
        let expected: Vec<f32> = (0..WIDTH * HEIGHT).map(element).collect();
        assert_eq!(run.read::<f32>("transposed"), expected);
    }

    #[test]
    fn a_barrier_of_storage_does_not_order_the_tile() {
        let launch = launch(&floats(WIDTH * HEIGHT, 19));
        racy(&transpose::racy::kernel(), launch, include_str!("transpose.rs"));
    }
}
