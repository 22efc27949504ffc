//! A stencil in two dimensions: the mean of 3×3 pixels, read from a tile with a halo.

/// Each workgroup computes 8×8 pixels; outside the image, the nearest pixel is used.
#[hirace::monitor]
pub mod box_blur {
    use hirace::prelude::*;

    const SIDE: u32 = 8;
    const TILE: usize = 10;

    /// Returns the index of the pixel for an element of a workgroup's tile. The tile begins one pixel to the left of
    /// and one pixel above the workgroup's pixels.
    fn pixel(group: UVec3, element: u32, size: UVec2) -> u32 {
        let tile = TILE as i32;
        let within = ivec2(element as i32 % tile, element as i32 / tile) - 1;
        let at = (group.xy() * SIDE).as_ivec2() + within;
        let at = at.clamp(IVec2::ZERO, size.as_ivec2() - 1).as_uvec2();
        at.y * size.x + at.x
    }

    /// Loads 100 elements with 64 invocations, waits, and reads 9 elements per invocation.
    #[kernel(workgroup_size(8, 8))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: UVec2,
        image: &[f32],
        blurred: &mut [f32],
        #[workgroup] tile: &mut [[f32; TILE]; TILE],
    ) {
        for element in (lane..100).step_by(SIDE * SIDE) {
            tile[element / 10][element % 10] = image[pixel(group, element, size)];
        }
        workgroup_barrier();
        if id.x >= size.x || id.y >= size.y {
            return;
        }
        let mut sum = 0.0;
        for y in 0..3 {
            for x in 0..3 {
                sum += tile[local.y + y][local.x + x];
            }
        }
        blurred[id.y * size.x + id.x] = sum / 9.0;
    }

    /// Has its barrier between the two loads, where it was before the tile had a halo.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 8))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        #[builtin(local_invocation_id)] local: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        #[builtin(workgroup_id)] group: UVec3,
        #[uniform] size: UVec2,
        image: &[f32],
        blurred: &mut [f32],
        #[workgroup] tile: &mut [[f32; TILE]; TILE],
    ) {
        tile[lane / 10][lane % 10] = image[pixel(group, lane, size)];
        workgroup_barrier();
        if lane < 36 {
            let element = lane + SIDE * SIDE;
            tile[element / 10][element % 10] = image[pixel(group, element, size)];
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on tile[..][..]
        }
        if id.x >= size.x || id.y >= size.y {
            return;
        }
        let mut sum = 0.0;
        for y in 0..3 {
            for x in 0..3 {
                sum += tile[local.y + y][local.x + x];
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..][..]
            }
        }
        blurred[id.y * size.x + id.x] = sum / 9.0;
    }
}

#[cfg(test)]
mod tests {
    use super::box_blur;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::UVec2;

    const WIDTH: usize = 19;
    const HEIGHT: usize = 13;

    fn launch(image: &[f32]) -> Launch {
        Launch::new()
            .workgroups([3, 2])
            .buffer("size", &UVec2::new(WIDTH as u32, HEIGHT as u32))
            .buffer("image", image)
            .buffer("blurred", &vec![0f32; image.len()])
    }

    fn expected(image: &[f32]) -> Vec<f32> {
        let pixel = |x: i32, y: i32| {
            let (x, y) = (x.clamp(0, WIDTH as i32 - 1), y.clamp(0, HEIGHT as i32 - 1));
            image[y as usize * WIDTH + x as usize]
        };
        let square = |x, y| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
        (0..HEIGHT as i32)
            .flat_map(|y| (0..WIDTH as i32).map(move |x| (x, y)))
            .map(|(x, y)| square(x, y).map(|(x, y)| pixel(x, y)).sum::<f32>() / 9.0)
            .collect()
    }

    #[test]
    fn every_pixel_is_the_mean_of_those_around_it() {
        let image = floats(WIDTH * HEIGHT, 13);
        let run = clean(&box_blur::clean::kernel(), launch(&image));
        assert_close(&run.read::<f32>("blurred"), &expected(&image), 1e-6);
    }

    #[test]
    fn the_barrier_must_come_behind_all_loads() {
        let launch = launch(&floats(WIDTH * HEIGHT, 13));
        racy(&box_blur::racy::kernel(), launch, include_str!("box_blur.rs"));
    }
}
