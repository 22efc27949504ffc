//! Edges of a grayscale image, by Sobel's operator.

/// Both gradients, from a tile with a border.
#[hirace::monitor]
pub mod sobel_edges {
    use crate::natural::shared::image::Extent;
    use hirace::prelude::*;

    const TILE: usize = 8;
    const PADDED: usize = TILE + 2;

    type Kernel3 = [[i32; 3]; 3];

    const HORIZONTAL: Kernel3 = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];
    const VERTICAL: Kernel3 = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]];

    fn apply(kernel: &Kernel3, tile: &[[u32; PADDED]; PADDED], x: usize, y: usize) -> i32 {
        let mut sum = 0;
        for (dy, row) in kernel.iter().enumerate() {
            for (dx, &weight) in row.iter().enumerate() {
                sum += weight * tile[y + dy][x + dx] as i32;
            }
        }
        sum
    }

    /// Loads the tile with its border, by all invocations together.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] extent: Extent,
        gray: &[u32],
        edges: &mut [u32],
        #[workgroup] tile: &mut [[u32; PADDED]; PADDED],
    ) {
        let corner = (group.truncate() * TILE as u32).as_ivec2() - 1;
        for i in (lane as usize..PADDED * PADDED).step_by(TILE * TILE) {
            let (y, x) = (i / PADDED, i % PADDED);
            tile[y][x] = gray[extent.clamped(corner.x + x as i32, corner.y + y as i32)];
        }
        workgroup_barrier();

        let Some(here) = extent.index(id.x as i32, id.y as i32) else {
            return;
        };
        let (x, y) = (local.x as usize, local.y as usize);
        let gradients = [&HORIZONTAL, &VERTICAL].map(|kernel| apply(kernel, tile, x, y));
        edges[here] = gradients.iter().map(|g| g.unsigned_abs()).sum::<u32>().min(255);
    }

    /// Subtracts neighbors in a row, without a barrier after the row is loaded.
    #[rustfmt::skip]
    #[kernel(workgroup_size(64))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        gray: &[u32],
        edges: &mut [u32],
        #[workgroup] row: &mut [u32; 64],
    ) {
        let (i, lane) = (id.x as usize, lane as usize);
        row[lane] = gray[i];
//      ^^^^^^^^^ race: write/read on row[..]
        edges[i] = gray[i].abs_diff(row[(lane + 1) % 64]);
//                                  ^^^^^^^^^^^^^^^^^^^^ race: read/write on row[..]
    }
}

#[cfg(test)]
mod tests {
    use super::sobel_edges;
    use crate::natural::shared::image::Extent;
    use crate::support::{below, clean, racy};
    use hirace::Launch;

    #[test]
    fn edges_are_found() {
        let (width, height) = (14, 11);
        let gray = below(64, 14 * 11, 80);
        let extent = Extent { width: 14, height: 11 };
        let launch = Launch::new().workgroups([2, 2]).buffer("extent", &extent);
        let launch = launch.buffer("gray", &gray).zeros("edges", 14 * 11);
        let run = clean(&sobel_edges::clean::kernel(), launch);
        let at = |x: i32, y: i32| {
            gray[(y.max(0).min(height - 1) * width + x.max(0).min(width - 1)) as usize] as i32
        };
        let mut expected = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let column = |x| at(x, y - 1) + 2 * at(x, y) + at(x, y + 1);
                let row = |y| at(x - 1, y) + 2 * at(x, y) + at(x + 1, y);
                let (dx, dy) = (column(x + 1) - column(x - 1), row(y + 1) - row(y - 1));
                expected.push((dx.abs() + dy.abs()).min(255) as u32);
            }
        }
        assert_eq!(run.read::<u32>("edges"), expected);
    }

    #[test]
    fn neighbors_without_a_barrier_race() {
        let launch = Launch::new().workgroups(1).buffer("gray", &below(64, 64, 81));
        let launch = launch.zeros("edges", 64);
        racy(&sobel_edges::racy::kernel(), launch, include_str!("sobel_edges.rs"));
    }
}
