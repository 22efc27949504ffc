//! A blur through a sampler, which halves the size of an image: each pixel is the mean of four.

/// One invocation per pixel of the smaller image.
#[hirace::monitor]
pub mod sampled_blur {
    use hirace::prelude::*;

    /// Takes one sample between four pixels; the sampler's filter computes the mean.
    #[kernel(workgroup_size(4, 4))]
    pub fn clean(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        smooth: &Sampler,
        half: &TextureStorage2d<Rgba32Float, Write>,
    ) {
        let size = texture_dimensions(half).as_vec2();
        let uv = (id.xy().as_vec2() + 0.5) / size;
        texture_store(half, id.xy(), texture_sample_level(image, smooth, uv, 0.0));
    }

    /// Is dispatched over the larger image: four invocations write each pixel.
    #[rustfmt::skip]
    #[kernel(workgroup_size(4, 4))]
    pub fn racy(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        smooth: &Sampler,
        half: &TextureStorage2d<Rgba32Float, Write>,
    ) {
        let size = texture_dimensions(image).as_vec2();
        let uv = (id.xy().as_vec2() + 0.5) / size;
        texture_store(half, id.xy() / 2, texture_sample_level(image, smooth, uv, 0.0));
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/write on half[..]
    }
}

#[cfg(test)]
mod tests {
    use super::sampled_blur;
    use crate::support::{assert_close, clean, floats, racy, scalars};
    use hirace::Launch;
    use hirace::prelude::Vec4;

    fn launch(image: &[Vec4]) -> Launch {
        Launch::new().texture("image", [8, 16], image).zeros("half", [4, 8])
    }

    fn image() -> Vec<Vec4> {
        floats(8 * 16 * 4, 34).chunks(4).map(Vec4::from_slice).collect()
    }

    #[test]
    fn every_pixel_is_the_mean_of_four() {
        let image = image();
        let run = clean(&sampled_blur::clean::kernel(), launch(&image).workgroups([1, 2]));
        let mean = |i: usize| {
            let first = i / 4 * 16 + i % 4 * 2;
            (image[first] + image[first + 1] + image[first + 8] + image[first + 9]) / 4.0
        };
        let expected: Vec<Vec4> = (0..32).map(mean).collect();
        // The weights of samplers have at least eight bits.
        assert_close(&scalars(&run.texels::<Vec4>("half")), &scalars(&expected), 1.0 / 256.0);
    }

    #[test]
    fn four_invocations_must_not_write_one_pixel() {
        let launch = launch(&image()).workgroups([2, 4]);
        racy(&sampled_blur::racy::kernel(), launch, include_str!("sampled_blur.rs"));
    }
}
