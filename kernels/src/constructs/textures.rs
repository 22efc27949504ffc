//! Every kind of texture and sampler, and every function on them.

/// One invocation per texel of a 4×4 image.
#[hirace::monitor]
pub mod textures {
    use hirace::prelude::*;

    /// Loads texels by their coordinates.
    #[kernel(workgroup_size(4, 4))]
    pub fn loads(
        #[builtin(global_invocation_id)] id: UVec3,
        line: &Texture1d<u32>,
        image: &Texture2d<f32>,
        layers: &Texture2dArray<i32>,
        volume: &Texture3d<f32>,
        samples: &TextureMultisampled2d<f32>,
        depth: &TextureDepth2d,
        results: &mut [[Vec4; 6]],
    ) {
        let at = id.xy();
        results[id.y * 4 + id.x] = [
            line.load(id.x, 0).as_vec4(),
            image.load(at, 0),
            layers.load(at, id.x % 2, 0).as_vec4(),
            volume.load(uvec3(id.x, id.y, 1), 0),
            samples.load(at, 0),
            Vec4::splat(depth.load(at, 0)),
        ];
    }

    /// Queries the sizes.
    #[kernel(workgroup_size(1))]
    pub fn sizes(
        line: &Texture1d<u32>,
        image: &Texture2d<f32>,
        layers: &Texture2dArray<i32>,
        volume: &Texture3d<f32>,
        samples: &TextureMultisampled2d<f32>,
        depth: &TextureDepth2d,
        sizes: &mut [UVec4; 6],
    ) {
        sizes[0] = uvec4(line.dimensions(), line.num_levels(), 0, 0);
        sizes[1] = image.dimensions().extend(image.num_levels()).extend(0);
        sizes[2] = layers.dimensions().extend(layers.num_layers()).extend(layers.num_levels());
        sizes[3] = volume.dimensions().extend(volume.num_levels());
        sizes[4] = samples.dimensions().extend(samples.num_samples()).extend(0);
        sizes[5] = depth.dimensions_of_level(0).extend(texture_num_levels(depth)).extend(0);
    }

    /// Samples between texels, through samplers.
    #[kernel(workgroup_size(4, 4))]
    pub fn samples(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        volume: &Texture3d<f32>,
        depth: &TextureDepth2d,
        smooth: &Sampler,
        shadow: &SamplerComparison,
        sampled: &mut [[Vec4; 7]],
    ) {
        let uv = (id.xy().as_vec2() + 0.5) / 4.0;
        let none = Vec2::ZERO;
        sampled[id.y * 4 + id.x] = [
            image.sample_level(smooth, uv, 0.0),
            image.sample_grad(smooth, uv, none, none),
            image.sample_base_clamp_to_edge(smooth, uv),
            image.sample_level_offset(smooth, uv, 0.0, ivec2(0, 0)),
            volume.sample_level(smooth, uv.extend(0.75), 0.0),
            Vec4::splat(depth.sample_level(smooth, uv, 0)),
            vec4(depth.sample_compare_level(shadow, uv, 0.5), 0.0, 0.0, 0.0),
        ];
    }

    /// Gathers four texels at once.
    #[kernel(workgroup_size(4, 4))]
    pub fn gathers(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        depth: &TextureDepth2d,
        smooth: &Sampler,
        shadow: &SamplerComparison,
        gathered: &mut [[Vec4; 3]],
    ) {
        let uv = id.xy().as_vec2() / 4.0;
        gathered[id.y * 4 + id.x] = [
            image.gather(0, smooth, uv),
            depth.gather(smooth, uv),
            depth.gather_compare(shadow, uv, 0.5),
        ];
    }

    /// Uses textures with layers, offsets, and WGSL's own names.
    #[kernel(workgroup_size(4, 4))]
    pub fn layered(
        #[builtin(global_invocation_id)] id: UVec3,
        image: &Texture2d<f32>,
        depth: &TextureDepth2d,
        stack: &Texture2dArray<f32>,
        shadows: &TextureDepth2dArray,
        smooth: &Sampler,
        shadow: &SamplerComparison,
        from_layers: &mut [[Vec4; 12]],
    ) {
        let uv = (id.xy().as_vec2() + 0.5) / 4.0;
        let none = Vec2::ZERO;
        let layer = id.x % 2;
        from_layers[id.y * 4 + id.x] = [
            texture_load(image, id.xy(), 0),
            stack.sample_level(smooth, uv, layer, 0.0),
            stack.sample_grad(smooth, uv, layer, none, none),
            stack.sample_level_offset(smooth, uv, layer, 0.0, ivec2(1, 0)),
            stack.gather(1, smooth, uv - 0.125, layer),
            Vec4::splat(shadows.load(id.xy(), layer, 0)),
            Vec4::splat(shadows.sample_level(smooth, uv, layer, 0)),
            Vec4::splat(shadows.sample_compare_level(shadow, uv, layer, 0.5)),
            shadows.gather_compare(shadow, uv - 0.125, layer, 0.5),
            image.sample_grad_offset(smooth, uv, none, none, ivec2(0, 1)),
            image.gather_offset(2, smooth, uv - 0.125, ivec2(1, 1)),
            Vec4::splat(depth.sample_compare_level_offset(shadow, uv, 0.5, ivec2(1, 0))),
        ];
    }

    /// Stores to storage textures of every dimension.
    #[kernel(workgroup_size(4, 4))]
    pub fn stores(
        #[builtin(global_invocation_id)] id: UVec3,
        row: &TextureStorage1d<R32Sint, Write>,
        plane: &TextureStorage2d<Rgba8Unorm, Write>,
        pile: &TextureStorage2dArray<Rgba16Float, Write>,
        space: &TextureStorage3d<Rgba32Uint, Write>,
    ) {
        let at = id.xy();
        if id.y == 0 {
            row.store(id.x, ivec4(-(id.x as i32), 0, 0, 0));
        }
        plane.store(at, (at.as_vec2() / 4.0).extend(0.0).extend(1.0));
        pile.store(at, id.x % 2, vec4(id.x as f32, id.y as f32, 0.5, 0.25));
        space.store(uvec3(id.x, id.y, id.x % 2), uvec4(id.x, id.y, 7, 8));
    }
}

#[cfg(test)]
mod tests {
    use super::textures;
    use crate::support::{assert_close, clean, floats, integers, scalars};
    use hirace::Launch;
    use hirace::prelude::{IVec4, UVec4, Vec2, Vec4};

    fn image() -> Vec<Vec4> {
        floats(64, 55).chunks(4).map(Vec4::from_slice).collect()
    }

    fn volume() -> Vec<Vec4> {
        floats(128, 56).chunks(4).map(Vec4::from_slice).collect()
    }

    fn depth() -> Vec<f32> {
        floats(16, 57).into_iter().map(f32::abs).collect()
    }

    fn all() -> Launch {
        Launch::new()
            .workgroups(1)
            .texture("line", 4, &[7u32, 8, 9, 10])
            .texture("image", [4, 4], &image())
            .texture("layers", [4, 4, 2], &integers(100, 32, 58))
            .texture("volume", [4, 4, 2], &volume())
            .zeros("samples", [4, 4])
            .texture("depth", [4, 4], &depth())
    }

    #[test]
    fn texels_are_at_their_places() {
        let run =
            clean(&textures::loads::kernel(), all().buffer("results", &[[Vec4::ZERO; 6]; 16]));
        let layers = integers(100, 32, 58);
        let expected = |i: usize| {
            [
                Vec4::new(7.0 + (i % 4) as f32, 0.0, 0.0, 1.0),
                image()[i],
                Vec4::new(layers[16 * (i % 2) + i] as f32, 0.0, 0.0, 1.0),
                volume()[16 + i],
                Vec4::ZERO,
                Vec4::splat(depth()[i]),
            ]
        };
        let expected: Vec<[Vec4; 6]> = (0..16).map(expected).collect();
        assert_eq!(run.read::<[Vec4; 6]>("results"), expected);
    }

    #[test]
    fn textures_know_their_sizes() {
        let run = clean(&textures::sizes::kernel(), all().buffer("sizes", &[UVec4::ZERO; 6]));
        let expected =
            [[4, 1, 0, 0], [4, 4, 1, 0], [4, 4, 2, 1], [4, 4, 2, 1], [4, 4, 4, 0], [4, 4, 1, 0]];
        assert_eq!(run.read::<UVec4>("sizes"), expected.map(UVec4::from));
    }

    fn three() -> Launch {
        Launch::new()
            .workgroups(1)
            .texture("image", [4, 4], &image())
            .texture("volume", [4, 4, 2], &volume())
            .texture("depth", [4, 4], &depth())
    }

    #[test]
    fn a_sample_at_a_texel_is_that_texel() {
        let run =
            clean(&textures::samples::kernel(), three().buffer("sampled", &[[Vec4::ZERO; 7]; 16]));
        let expected = |i: usize| {
            let (texel, depth) = (image()[i], depth()[i]);
            let lit = Vec4::new(if 0.5 < depth { 1.0 } else { 0.0 }, 0.0, 0.0, 0.0);
            [texel, texel, texel, texel, volume()[16 + i], Vec4::splat(depth), lit]
        };
        let expected: Vec<[Vec4; 7]> = (0..16).map(expected).collect();
        assert_close(&scalars(&run.read::<[Vec4; 7]>("sampled")), &scalars(&expected), 1e-5);
    }

    #[test]
    fn the_four_texels_around_a_corner_are_gathered() {
        let launch = Launch::new()
            .workgroups(1)
            .texture("image", [4, 4], &image())
            .texture("depth", [4, 4], &depth())
            .buffer("gathered", &[[Vec4::ZERO; 3]; 16]);
        let run = clean(&textures::gathers::kernel(), launch);
        let (image, depth) = (image(), depth());
        for (i, gathered) in run.read::<[Vec4; 3]>("gathered").into_iter().enumerate() {
            let (x, y) = (i % 4, i / 4);
            if x > 0 && y > 0 {
                // Counter-clockwise from the lower left.
                let four = [i - 1, i, i - 4, i - 5];
                let lit = four.map(|i| if 0.5 < depth[i] { 1.0 } else { 0.0 });
                let texels = [four.map(|i| image[i].x), four.map(|i| depth[i]), lit];
                assert_eq!(gathered, texels.map(Vec4::from));
            }
        }
    }

    #[test]
    fn layers_and_texels_beside_the_point_are_found() {
        let (image, stack, depth) = (image(), volume(), depth());
        let shadows: Vec<f32> = floats(32, 59).into_iter().map(f32::abs).collect();
        let launch = Launch::new()
            .workgroups(1)
            .texture("image", [4, 4], &image)
            .texture("depth", [4, 4], &depth)
            .texture("stack", [4, 4, 2], &stack)
            .texture("shadows", [4, 4, 2], &shadows)
            .buffer("from_layers", &[[Vec4::ZERO; 12]; 16]);
        let run = clean(&textures::layered::kernel(), launch);
        let found = run.read::<[Vec4; 12]>("from_layers");
        // Away from the edges, so that all four texels and their neighbors exist.
        for (x, y) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            let (i, layer) = (4 * y + x, x % 2);
            let of_layer = |i: usize| 16 * layer + i;
            let four = [i - 1, i, i - 4, i - 5];
            let lit = |depth: f32| if 0.5 < depth { 1.0 } else { 0.0 };
            let expected = [
                image[i],
                stack[of_layer(i)],
                stack[of_layer(i)],
                stack[of_layer(i + 1)],
                Vec4::from(four.map(|i| stack[of_layer(i)].y)),
                Vec4::splat(shadows[of_layer(i)]),
                Vec4::splat(shadows[of_layer(i)]),
                Vec4::splat(lit(shadows[of_layer(i)])),
                Vec4::from(four.map(|i| lit(shadows[of_layer(i)]))),
                image[i + 4],
                Vec4::from(four.map(|i| image[i + 5].z)),
                Vec4::splat(lit(depth[i + 1])),
            ];
            assert_close(&scalars(&found[i]), &scalars(&expected), 1e-5);
        }
    }

    #[test]
    fn what_is_stored_is_held_as_its_format_has_it() {
        let launch = Launch::new()
            .workgroups(1)
            .zeros("row", 4)
            .zeros("plane", [4, 4])
            .zeros("pile", [4, 4, 2])
            .zeros("space", [4, 4, 2]);
        let run = clean(&textures::stores::kernel(), launch);
        let row: Vec<i32> = run.texels::<IVec4>("row").iter().map(|texel| texel.x).collect();
        assert_eq!(row, [0, -1, -2, -3]);
        let at = |i: usize| Vec2::new((i % 4) as f32, (i / 4) as f32);
        let plane: Vec<Vec4> = (0..16).map(|i| (at(i) / 4.0).extend(0.0).extend(1.0)).collect();
        assert_close(&scalars(&run.texels::<Vec4>("plane")), &scalars(&plane), 0.51 / 255.0);
        let (pile, space) = (run.texels::<Vec4>("pile"), run.texels::<UVec4>("space"));
        for i in 0..16 {
            let place = 16 * (i % 2) + i;
            assert_eq!(pile[place], at(i).extend(0.5).extend(0.25));
            assert_eq!(space[place], UVec4::new(i as u32 % 4, i as u32 / 4, 7, 8));
        }
    }
}
