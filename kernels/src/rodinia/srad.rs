//! `srad` of Rodinia: diffusion that removes speckles from an image and preserves its edges.

/// Computes mean and variance of the image, diffusion coefficients from them, and then the step itself.
#[hirace::monitor]
pub mod srad {
    use hirace::prelude::*;

    const LANES: usize = 32;

    /// Parameters of the image.
    #[derive(Clone, Copy)]
    pub struct Picture {
        /// Number of columns.
        pub columns: u32,
        /// Number of rows.
        pub rows: u32,
        /// Step size, at most 1.
        pub rate: f32,
    }

    /// Sums a tile into its first element.
    fn reduce(tile: &mut [Vec2; LANES], lane: u32) {
        let mut stride = LANES as u32 / 2;
        while stride > 0 {
            workgroup_barrier();
            if lane < stride {
                tile[lane] += tile[lane + stride];
            }
            stride /= 2;
        }
        workgroup_barrier(); // hirace: expect survived(barrier): lane 0 reads what it wrote itself
    }

    /// First dispatch: sums values and their squares, with one pair per workgroup.
    #[kernel(workgroup_size(LANES))]
    pub fn sum(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        image: &mut [f32],
        sums: &mut [Vec2],
        #[workgroup] tile: &mut [Vec2; LANES],
    ) {
        if id.x < image.len() {
            tile[lane] = vec2(image[id.x], image[id.x] * image[id.x]);
        }
        reduce(tile, lane);
        if lane == 0 {
            sums[group.x] = tile[0];
        }
    }

    /// Second dispatch, of one workgroup: computes the variance of the image divided by its squared mean.
    #[kernel(workgroup_size(LANES))]
    pub fn variance(
        #[builtin(local_invocation_index)] lane: u32,
        image: &mut [f32],
        sums: &mut [Vec2],
        speckle: &mut f32,
        #[workgroup] tile: &mut [Vec2; LANES],
    ) {
        for i in (lane..sums.len()).step_by(LANES as u32) {
            tile[lane] += sums[i];
        }
        reduce(tile, lane);
        if lane == 0 {
            let mean = tile[0] / image.len() as f32;
            *speckle = (mean.y - mean.x * mean.x) / (mean.x * mean.x);
        }
    }

    /// Returns the differences to the pixels above, below, left and right; outside the image, the nearest pixel is used.
    fn differences(image: &mut [f32], picture: Picture, at: UVec2) -> Vec4 {
        let row = at.y * picture.columns;
        let own = image[row + at.x];
        let above = image[(max(at.y, 1) - 1) * picture.columns + at.x];
        let below = image[min(at.y + 1, picture.rows - 1) * picture.columns + at.x];
        let left = image[row + max(at.x, 1) - 1];
        let right = image[row + min(at.x + 1, picture.columns - 1)];
        vec4(above, below, left, right) - own
    }

    /// Returns the diffusion coefficient of a pixel: lower where differences are larger than the speckle.
    fn coefficient(differences: Vec4, own: f32, speckle: f32) -> f32 {
        let gradient = dot(differences, differences) / (own * own);
        let laplacian = dot(differences, Vec4::ONE) / own;
        let part = 1.0 + 0.25 * laplacian;
        let variance = (0.5 * gradient - laplacian * laplacian / 16.0) / (part * part);
        clamp(1.0 / (1.0 + (variance - speckle) / (speckle * (1.0 + speckle))), 0.0, 1.0)
    }

    /// Third dispatch: computes the coefficients.
    #[kernel(workgroup_size(8, 8))]
    pub fn coefficients(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] picture: &Picture,
        image: &mut [f32],
        speckle: &mut f32,
        shares: &mut [f32],
    ) {
        if id.x < picture.columns && id.y < picture.rows {
            let place = id.y * picture.columns + id.x;
            let around = differences(image, *picture, id.xy());
            shares[place] = coefficient(around, image[place], *speckle);
        }
    }

    /// Returns the flow into a pixel: above and left with its own coefficient, below and right with the neighbor's.
    fn flow(shares: &mut [f32], differences: Vec4, picture: Picture, at: UVec2) -> f32 {
        let place = at.y * picture.columns + at.x;
        let below = shares[min(at.y + 1, picture.rows - 1) * picture.columns + at.x];
        let right = shares[at.y * picture.columns + min(at.x + 1, picture.columns - 1)];
        dot(differences, vec4(shares[place], below, shares[place], right))
    }

    /// Fourth dispatch: computes the step into another image.
    #[kernel(workgroup_size(8, 8))]
    pub fn diffuse(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] picture: &Picture,
        image: &mut [f32],
        shares: &mut [f32],
        smooth: &mut [f32],
    ) {
        if id.x < picture.columns && id.y < picture.rows {
            let place = id.y * picture.columns + id.x;
            let around = differences(image, *picture, id.xy());
            let change = flow(shares, around, *picture, id.xy());
            smooth[place] = image[place] + 0.25 * picture.rate * change;
        }
    }

    /// Does the last two in one dispatch: `storage_barrier()` does not order the workgroups below and to the right.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[uniform] picture: &Picture,
        image: &mut [f32],
        speckle: &mut f32,
        shares: &mut [f32],
        smooth: &mut [f32],
    ) {
        let place = id.y * picture.columns + id.x;
        let around = differences(image, *picture, id.xy());
        shares[place] = coefficient(around, image[place], *speckle);
//      ^^^^^^^^^^^^^ race: write/read on shares[..]
        storage_barrier();
        let below = shares[min(id.y + 1, picture.rows - 1) * picture.columns + id.x];
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on shares[..]
        let right = shares[id.y * picture.columns + min(id.x + 1, picture.columns - 1)];
//                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on shares[..]
        let change = dot(around, vec4(shares[place], below, shares[place], right));
        smooth[place] = image[place] + 0.25 * picture.rate * change;
    }
}

#[cfg(test)]
mod tests {
    use super::srad::{self, Picture};
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;

    const RATE: f32 = 0.5;

    /// Returns an image with values from 0.5 to 1.5.
    fn image(pixels: usize) -> Vec<f32> {
        floats(pixels, 74).into_iter().map(|value| 1.0 + 0.5 * value).collect()
    }

    fn launch(image: &[f32], columns: u32) -> Launch {
        let rows = image.len() as u32 / columns;
        Launch::new()
            .buffer("picture", &Picture { columns, rows, rate: RATE })
            .buffer("image", image)
            .zeros("shares", image.len())
            .zeros("smooth", image.len())
    }

    fn smooth(image: &[f32], columns: usize) -> Vec<f32> {
        let count = image.len() as f64;
        let at = |i: usize| f64::from(image[i]);
        let mean = (0..image.len()).map(at).sum::<f64>() / count;
        let squares = (0..image.len()).map(|i| at(i) * at(i)).sum::<f64>() / count;
        let speckle = (squares - mean * mean) / (mean * mean);
        let rows = image.len() / columns;
        // The pixels above, below, left and right.
        let around = |i: usize| {
            let (x, y) = (i % columns, i / columns);
            [
                y.saturating_sub(1) * columns + x,
                (y + 1).min(rows - 1) * columns + x,
                y * columns + x.saturating_sub(1),
                y * columns + (x + 1).min(columns - 1),
            ]
        };
        let share = |i: usize| {
            let differences = around(i).map(|j| (at(j) - at(i)) / at(i));
            let gradient: f64 = differences.iter().map(|d| d * d).sum();
            let laplacian: f64 = differences.iter().sum();
            let variance =
                (gradient / 2.0 - laplacian * laplacian / 16.0) / (1.0 + laplacian / 4.0).powi(2);
            (1.0 / (1.0 + (variance - speckle) / (speckle * (1.0 + speckle)))).clamp(0.0, 1.0)
        };
        let pixel = |i: usize| {
            let [above, below, left, right] = around(i);
            let flow = share(i) * (at(above) - at(i))
                + share(below) * (at(below) - at(i))
                + share(i) * (at(left) - at(i))
                + share(right) * (at(right) - at(i));
            (at(i) + 0.25 * f64::from(RATE) * flow) as f32
        };
        (0..image.len()).map(pixel).collect()
    }

    fn holds(columns: u32, rows: u32) {
        let image = image((columns * rows) as usize);
        let blocks = image.len().div_ceil(32) as u32;
        let grid = [columns.div_ceil(8), rows.div_ceil(8)];
        let launch = launch(&image, columns)
            .zeros("sums", blocks as usize)
            .buffer("speckle", &0f32)
            .dispatch("sum", blocks)
            .dispatch("variance", 1)
            .dispatch("coefficients", grid)
            .dispatch("diffuse", grid);
        let run = clean(&srad::sum::kernel(), launch);
        assert_close(&run.read::<f32>("smooth"), &smooth(&image, columns as usize), 1e-4);
    }

    #[test]
    fn speckles_diffuse() {
        holds(24, 16);
    }

    #[test]
    fn more_sums_than_lanes_are_added_up() {
        holds(48, 23);
    }

    #[test]
    fn the_picture_need_not_fill_its_workgroups() {
        holds(11, 13);
        holds(2, 1);
    }

    #[test]
    fn coefficients_of_other_workgroups_take_a_dispatch() {
        let launch = launch(&image(256), 16).buffer("speckle", &0.25f32).workgroups([2, 2]);
        racy(&srad::racy::kernel(), launch, include_str!("srad.rs"));
    }
}
