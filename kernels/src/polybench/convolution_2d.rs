//! `convolution-2d` of PolyBench: each pixel becomes a weighted sum of the 3×3 pixels around it.

/// Uses tiles with a margin of one pixel. Pixels at the edges are skipped.
#[hirace::monitor]
pub mod convolution_2d {
    use hirace::prelude::*;

    const SIDE: usize = 8;
    const PADDED: usize = SIDE + 2;
    const AREA: u32 = (PADDED * PADDED) as u32;
    const WEIGHTS: [f32; 9] = [0.2, -0.3, 0.4, 0.5, 0.6, 0.7, -0.8, -0.9, 0.1];

    /// Returns the weighted sum of nine elements of a tile.
    fn sum(tile: &mut [[f32; PADDED]; PADDED], x: u32, y: u32) -> f32 {
        let mut sum = 0.0;
        for i in 0..9 {
            sum += WEIGHTS[i] * tile[y + i / 3][x + i % 3];
        }
        sum
    }

    /// Loads the tile row by row, with up to two pixels per invocation.
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn clean(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: UVec2,
        input: &[f32],
        output: &mut [f32],
        #[workgroup] tile: &mut [[f32; PADDED]; PADDED],
    ) {
        let corner = group.xy() * SIDE as u32;
        for i in (lane..AREA).step_by((SIDE * SIDE) as u32) {
            let (x, y) = (i % PADDED as u32, i / PADDED as u32);
            if corner.x + x < size.x && corner.y + y < size.y {
                tile[y][x] = input[(corner.y + y) * size.x + corner.x + x];
            }
        }
        workgroup_barrier();
        let center = corner + local.xy() + 1;
        if center.x + 1 < size.x && center.y + 1 < size.y {
            output[center.y * size.x + center.x] = sum(tile, local.x, local.y);
        }
    }

    /// Loads four pixels per invocation, two apart, so that many are loaded twice. Both invocations write the same
    /// value, but two writes are a race nevertheless.
    #[rustfmt::skip]
    #[kernel(workgroup_size(SIDE, SIDE))]
    pub fn racy(
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: UVec2,
        input: &[f32],
        output: &mut [f32],
        #[workgroup] tile: &mut [[f32; PADDED]; PADDED],
    ) {
        let corner = group.xy() * SIDE as u32;
        for i in 0..4 {
            let (x, y) = (local.x + 2 * (i % 2), local.y + 2 * (i / 2));
            if corner.x + x < size.x && corner.y + y < size.y {
                tile[y][x] = input[(corner.y + y) * size.x + corner.x + x];
//              ^^^^^^^^^^ race: write/write on tile[..][..]
            }
        }
        workgroup_barrier();
        let center = corner + local.xy() + 1;
        if center.x + 1 < size.x && center.y + 1 < size.y {
            output[center.y * size.x + center.x] = sum(tile, local.x, local.y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::convolution_2d;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::UVec2;

    const WEIGHTS: [[f32; 3]; 3] = [[0.2, -0.3, 0.4], [0.5, 0.6, 0.7], [-0.8, -0.9, 0.1]];

    fn launch(input: &[f32], width: usize) -> Launch {
        let height = input.len() / width;
        Launch::new()
            .workgroups([width.div_ceil(8) as u32, height.div_ceil(8) as u32])
            .buffer("size", &UVec2::new(width as u32, height as u32))
            .buffer("input", input)
            .zeros("output", input.len())
    }

    fn holds(width: usize, height: usize) {
        let input = floats(width * height, 136);
        let mut expected = vec![0.0; width * height];
        for (y, x) in
            (1..height.max(2) - 1).flat_map(|y| (1..width.max(2) - 1).map(move |x| (y, x)))
        {
            for (weights, row) in WEIGHTS.iter().zip(y - 1..) {
                let pixels = &input[row * width + x - 1..][..3];
                expected[y * width + x] +=
                    weights.iter().zip(pixels).map(|(w, p)| w * p).sum::<f32>();
            }
        }
        let run = clean(&convolution_2d::clean::kernel(), launch(&input, width));
        assert_close(&run.read::<f32>("output"), &expected, 1e-5);
    }

    #[test]
    fn pixels_are_sums_of_nine() {
        holds(24, 16);
    }

    #[test]
    fn the_picture_need_not_fill_its_workgroups() {
        holds(11, 19);
        holds(3, 3);
    }

    #[test]
    fn without_an_inside_there_is_nothing_to_do() {
        holds(2, 9);
        holds(1, 1);
    }

    #[test]
    fn a_pixel_is_fetched_by_one() {
        let launch = launch(&floats(100, 136), 10);
        racy(&convolution_2d::racy::kernel(), launch, include_str!("convolution_2d.rs"));
    }
}
