//! Edges of an image: Sobel's gradient, and the number of strong edges.

/// One invocation per pixel.
#[hirace::monitor]
pub mod sobel {
    use hirace::prelude::*;

    const WEIGHTS: [f32; 3] = [1.0, 2.0, 1.0];

    /// Returns a pixel's brightness; outside the image, that of the nearest pixel.
    fn bright(image: &Texture2d<f32>, at: IVec2) -> f32 {
        let last = texture_dimensions(image).as_ivec2() - 1;
        image.load(clamp(at, IVec2::ZERO, last), 0).x
    }

    /// Returns the gradient of the brightness to the right and downwards.
    fn gradient(image: &Texture2d<f32>, at: IVec2) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for i in -1..=1 {
            let weight = WEIGHTS[i + 1];
            sum.x += weight * (bright(image, at + ivec2(1, i)) - bright(image, at + ivec2(-1, i)));
            sum.y += weight * (bright(image, at + ivec2(i, 1)) - bright(image, at + ivec2(i, -1)));
        }
        sum
    }

    /// Writes edges to a texture, and counts strong ones with an atomic.
    #[kernel(workgroup_size(8, 4))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        edges: &TextureStorage2d<R32Float, Write>,
        strong: &Atomic<u32>,
    ) {
        let strength = length(gradient(image, id.xy().as_ivec2()));
        texture_store(edges, id.xy(), Vec4::splat(strength));
        if strength > 1.0 {
            strong.fetch_add(1);
        }
    }

    /// Counts in a plain word.
    #[rustfmt::skip]
    #[kernel(workgroup_size(8, 4))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        edges: &TextureStorage2d<R32Float, Write>,
        count: &mut u32,
    ) {
        let strength = length(gradient(image, id.xy().as_ivec2()));
        texture_store(edges, id.xy(), Vec4::splat(strength));
        if strength > 1.0 {
            *count += 1;
//          ^^^^^^ race: read/write on count
//          ^^^^^^ race: write/read on count
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sobel;
    use crate::support::{assert_close, clean, floats, racy};
    use hirace::Launch;
    use hirace::prelude::Vec4;

    const WIDTH: usize = 16;
    const HEIGHT: usize = 8;
    const SIZE: [u32; 2] = [WIDTH as u32, HEIGHT as u32];

    fn image() -> Vec<f32> {
        floats(WIDTH * HEIGHT, 35)
    }

    fn launch(image: &[f32]) -> Launch {
        Launch::new().workgroups([2, 2]).texture("image", SIZE, image).zeros("edges", SIZE)
    }

    fn strength(image: &[f32], i: usize) -> f32 {
        let pixel = |x: i32, y: i32| {
            let (x, y) = (x.clamp(0, WIDTH as i32 - 1), y.clamp(0, HEIGHT as i32 - 1));
            image[y as usize * WIDTH + x as usize]
        };
        let (x, y) = ((i % WIDTH) as i32, (i / WIDTH) as i32);
        let weighted = |f: &dyn Fn(i32) -> f32| f(-1) + 2.0 * f(0) + f(1);
        let right = weighted(&|i| pixel(x + 1, y + i)) - weighted(&|i| pixel(x - 1, y + i));
        let down = weighted(&|i| pixel(x + i, y + 1)) - weighted(&|i| pixel(x + i, y - 1));
        right.hypot(down)
    }

    #[test]
    fn edges_are_found_and_counted() {
        let image = image();
        let run = clean(&sobel::clean::kernel(), launch(&image).buffer("strong", &0u32));
        let expected: Vec<f32> = (0..image.len()).map(|i| strength(&image, i)).collect();
        let edges: Vec<f32> = run.texels::<Vec4>("edges").iter().map(|texel| texel.x).collect();
        assert_close(&edges, &expected, 1e-5);
        let strong = edges.iter().filter(|edge| **edge > 1.0).count();
        assert_eq!(run.one::<u32>("strong") as usize, strong);
    }

    #[test]
    fn the_count_needs_an_atomic() {
        let launch = launch(&image()).buffer("count", &0u32);
        racy(&sobel::racy::kernel(), launch, include_str!("sobel.rs"));
    }
}
