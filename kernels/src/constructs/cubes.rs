//! Textures that are neither 2D nor 3D images: cubes, 1D textures, and multisampled depth textures.

/// One invocation per texel of six faces, or of twelve.
#[hirace::monitor]
pub mod cubes {
    use hirace::prelude::*;

    /// Samples in the direction of each texel.
    #[kernel(workgroup_size(32))]
    pub fn towards_texels(
        #[builtin(global_invocation_id)] id: UVec3,
        directions: &[Vec3],
        sky: &TextureCube<f32>,
        shadows: &TextureDepthCube,
        smooth: &Sampler,
        shadow: &SamplerComparison,
        seen: &mut [[Vec4; 5]],
    ) {
        let towards = directions[id.x];
        seen[id.x] = [
            sky.sample_level(smooth, towards, 0.0),
            texture_sample_level(sky, smooth, towards * 0.25, 0.0),
            sky.sample_grad(smooth, towards, Vec3::ZERO, Vec3::ZERO),
            Vec4::splat(shadows.sample_level(smooth, towards, 0)),
            Vec4::splat(shadows.sample_compare_level(shadow, towards, 0.5)),
        ];
    }

    /// Gathers the four texels around a direction.
    #[kernel(workgroup_size(32))]
    pub fn around(
        #[builtin(global_invocation_id)] id: UVec3,
        directions: &[Vec3],
        sky: &TextureCube<f32>,
        numbers: &TextureCube<u32>,
        shadows: &TextureDepthCube,
        smooth: &Sampler,
        shadow: &SamplerComparison,
        gathered: &mut [[Vec4; 4]],
    ) {
        let towards = directions[id.x];
        gathered[id.x] = [
            sky.gather(2, smooth, towards),
            numbers.gather(0, smooth, towards).as_vec4(),
            shadows.gather(smooth, towards),
            shadows.gather_compare(shadow, towards, 0.5),
        ];
    }

    /// Samples one cube of an array.
    #[kernel(workgroup_size(32))]
    pub fn of_arrays(
        #[builtin(global_invocation_id)] id: UVec3,
        directions: &[Vec3],
        skies: &TextureCubeArray<f32>,
        lamps: &TextureDepthCubeArray,
        smooth: &Sampler,
        shadow: &SamplerComparison,
        of_cubes: &mut [[Vec4; 6]],
    ) {
        let towards = directions[id.x];
        let cube = id.x % 2;
        of_cubes[id.x] = [
            skies.sample_level(smooth, towards, cube, 0.0),
            skies.sample_grad(smooth, towards, cube, Vec3::ZERO, Vec3::ZERO),
            skies.gather(1, smooth, towards * 1.001, cube),
            Vec4::splat(lamps.sample_level(smooth, towards, cube, 0)),
            Vec4::splat(lamps.sample_compare_level(shadow, towards, cube, 0.5)),
            lamps.gather_compare(shadow, towards, cube, -1.0) + lamps.gather(smooth, towards, cube),
        ];
    }

    /// Queries the sizes.
    #[kernel(workgroup_size(1))]
    pub fn sizes(
        sky: &TextureCube<f32>,
        skies: &TextureCubeArray<f32>,
        shadows: &TextureDepthCube,
        lamps: &TextureDepthCubeArray,
        deep: &TextureDepthMultisampled2d,
        sizes: &mut [UVec4; 5],
    ) {
        sizes[0] = sky.dimensions().extend(sky.num_levels()).extend(0);
        sizes[1] = skies.dimensions_of_level(0).extend(skies.num_layers()).extend(0);
        sizes[2] = texture_dimensions(shadows).extend(shadows.num_levels()).extend(0);
        sizes[3] = lamps.dimensions().extend(texture_num_layers(lamps)).extend(lamps.num_levels());
        sizes[4] = deep.dimensions().extend(deep.num_samples()).extend(texture_num_samples(deep));
    }

    /// Loads single samples of a texel, and interpolates along a 1D texture.
    #[kernel(workgroup_size(4, 4))]
    pub fn samples_and_lines(
        #[builtin(global_invocation_id)] id: UVec3,
        deep: &TextureDepthMultisampled2d,
        ramp: &Texture1d<f32>,
        smooth: &Sampler,
        found: &mut [[Vec4; 3]],
    ) {
        let u = (id.x as f32 + 1.0) / 4.0;
        found[id.y * 4 + id.x] = [
            vec4(deep.load(id.xy(), id.x), texture_load(deep, id.xy(), id.y), 0.0, 0.0),
            ramp.sample_level(smooth, u - 0.125, 0.0),
            texture_sample_level(ramp, smooth, u.min(0.75), 0.0),
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::cubes;
    use crate::support::{assert_close, clean, floats, numbers, scalars};
    use hirace::Launch;
    use hirace::prelude::{UVec4, Vec3, Vec4};

    /// Number of texels along an edge of a face.
    const EDGE: usize = 4;
    const FACE: usize = EDGE * EDGE;
    const CUBE: usize = 6 * FACE;

    /// The faces in the order of their layers: the direction of the face, seen from inside, and the directions of its
    /// texels' x and y axes.
    const FACES: [[Vec3; 3]; 6] = [
        [Vec3::X, Vec3::NEG_Z, Vec3::NEG_Y],
        [Vec3::NEG_X, Vec3::Z, Vec3::NEG_Y],
        [Vec3::Y, Vec3::X, Vec3::Z],
        [Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z],
        [Vec3::Z, Vec3::X, Vec3::NEG_Y],
        [Vec3::NEG_Z, Vec3::NEG_X, Vec3::NEG_Y],
    ];

    /// Returns the direction to a position on a face, in texels from its first corner.
    fn direction(face: usize, x: f32, y: f32) -> Vec3 {
        let [towards, right, down] = FACES[face];
        let along = |place: f32| place / EDGE as f32 * 2.0 - 1.0;
        2.5 * (towards + right * along(x) + down * along(y))
    }

    /// Returns the directions to the center of each texel.
    fn to_texels() -> Vec<Vec3> {
        let of = |i: usize| [i / FACE, i % EDGE, i / EDGE % EDGE];
        let to = |[face, x, y]: [usize; 3]| direction(face, x as f32 + 0.5, y as f32 + 0.5);
        (0..CUBE).map(of).map(to).collect()
    }

    fn colors(count: usize, seed: u32) -> Vec<Vec4> {
        floats(4 * count, seed).chunks(4).map(Vec4::from_slice).collect()
    }

    fn depths(count: usize, seed: u32) -> Vec<f32> {
        floats(count, seed).into_iter().map(f32::abs).collect()
    }

    fn lit(depth: f32) -> f32 {
        if 0.5 < depth { 1.0 } else { 0.0 }
    }

    fn one() -> Launch {
        Launch::new().workgroups(3).texture("sky", [4, 4, 6], &colors(CUBE, 61)).texture(
            "shadows",
            [4, 4, 6],
            &depths(CUBE, 62),
        )
    }

    #[test]
    fn the_texel_in_a_direction_is_seen() {
        let launch =
            one().buffer("directions", &to_texels()).buffer("seen", &[[Vec4::ZERO; 5]; CUBE]);
        let run = clean(&cubes::towards_texels::kernel(), launch);
        let (sky, shadows) = (colors(CUBE, 61), depths(CUBE, 62));
        let of = |i: usize| {
            let [depth, lit] = [shadows[i], lit(shadows[i])].map(Vec4::splat);
            [sky[i], sky[i], sky[i], depth, lit]
        };
        let expected: Vec<[Vec4; 5]> = (0..CUBE).map(of).collect();
        assert_close(&scalars(&run.read::<[Vec4; 5]>("seen")), &scalars(&expected), 1e-5);
    }

    #[test]
    fn an_edge_is_half_of_either_face() {
        // The edge where +x and +z meet, and the edge where +y and -z meet.
        let mut directions = to_texels();
        directions[0] = direction(0, 0.0, 1.5);
        directions[1] = direction(2, 1.5, 0.0);
        let launch =
            one().buffer("directions", &directions).buffer("seen", &[[Vec4::ZERO; 5]; CUBE]);
        let run = clean(&cubes::towards_texels::kernel(), launch);
        let sky = colors(CUBE, 61);
        let at = |face: usize, x: usize, y: usize| sky[face * FACE + y * EDGE + x];
        let halves = [(at(0, 0, 1) + at(4, 3, 1)) / 2.0, (at(2, 1, 0) + at(5, 2, 0)) / 2.0];
        let seen = run.read::<[Vec4; 5]>("seen");
        assert_close(&scalars(&[seen[0][0], seen[1][0]]), &scalars(&halves), 1e-5);
    }

    #[test]
    fn the_four_texels_around_a_direction_are_gathered() {
        let corners = |i: usize| direction(i / FACE, (i % EDGE) as f32, (i / EDGE % EDGE) as f32);
        let directions: Vec<Vec3> = (0..CUBE).map(corners).collect();
        let ids: Vec<u32> = numbers(CUBE, 63).into_iter().map(|n| n >> 9).collect();
        let launch = one()
            .texture("numbers", [4, 4, 6], &ids)
            .buffer("directions", &directions)
            .buffer("gathered", &[[Vec4::ZERO; 4]; CUBE]);
        let run = clean(&cubes::around::kernel(), launch);
        let (sky, shadows) = (colors(CUBE, 61), depths(CUBE, 62));
        let gathered = run.read::<[Vec4; 4]>("gathered");
        // Texels at edges are skipped: a gather there also returns four texels, but in another order.
        for i in (0..CUBE).filter(|i| i % EDGE > 0 && i % FACE >= EDGE) {
            // Counter-clockwise from the lower left.
            let four = [i - 1, i, i - EDGE, i - EDGE - 1];
            let expected = [
                four.map(|i| sky[i].z),
                four.map(|i| ids[i] as f32),
                four.map(|i| shadows[i]),
                four.map(|i| lit(shadows[i])),
            ];
            assert_eq!(gathered[i], expected.map(Vec4::from), "texel {i}");
        }
    }

    #[test]
    fn the_cubes_of_an_array_are_distinguished() {
        let launch = Launch::new()
            .workgroups(3)
            .texture("skies", [4, 4, 12], &colors(2 * CUBE, 64))
            .texture("lamps", [4, 4, 12], &depths(2 * CUBE, 65))
            .buffer("directions", &to_texels())
            .buffer("of_cubes", &[[Vec4::ZERO; 6]; CUBE]);
        let run = clean(&cubes::of_arrays::kernel(), launch);
        let (skies, lamps) = (colors(2 * CUBE, 64), depths(2 * CUBE, 65));
        let found = run.read::<[Vec4; 6]>("of_cubes");
        for (i, found) in found.into_iter().enumerate() {
            let at = i % 2 * CUBE + i;
            let [depth, lit] = [lamps[at], lit(lamps[at])].map(Vec4::splat);
            let texels = [found[0], found[1], found[3], found[4]];
            assert_close(&scalars(&texels), &scalars(&[skies[at], skies[at], depth, lit]), 1e-5);
            // One of the four gathered texels is the texel itself.
            assert!(found[2].to_array().contains(&skies[at].y), "texel {i}");
            assert!(found[5].to_array().contains(&(1.0 + lamps[at])), "texel {i}");
        }
    }

    #[test]
    fn cubes_know_their_sizes() {
        let launch = Launch::new()
            .workgroups(1)
            .zeros("sky", [4, 4, 6])
            .zeros("skies", [8, 8, 18])
            .zeros("shadows", [2, 2, 6])
            .zeros("lamps", [16, 16, 12])
            .zeros("deep", [5, 3])
            .buffer("sizes", &[UVec4::ZERO; 5]);
        let run = clean(&cubes::sizes::kernel(), launch);
        let expected = [[4, 4, 1, 0], [8, 8, 3, 0], [2, 2, 1, 0], [16, 16, 2, 1], [5, 3, 4, 4]];
        assert_eq!(run.read::<UVec4>("sizes"), expected.map(UVec4::from));
    }

    #[test]
    fn samples_have_their_numbers_and_lines_are_mixed() {
        let (deep, ramp) = (depths(64, 66), colors(4, 67));
        let launch = Launch::new()
            .workgroups(1)
            .texture("deep", [4, 4], &deep)
            .texture("ramp", 4, &ramp)
            .buffer("found", &[[Vec4::ZERO; 3]; 16]);
        let run = clean(&cubes::samples_and_lines::kernel(), launch);
        let expected = |i: usize| {
            let (x, y) = (i % 4, i / 4);
            let next = (x + 1).min(3);
            let between = (ramp[next - 1] + ramp[next]) / 2.0;
            [Vec4::new(deep[4 * i + x], deep[4 * i + y], 0.0, 0.0), ramp[x], between]
        };
        let expected: Vec<[Vec4; 3]> = (0..16).map(expected).collect();
        assert_close(&scalars(&run.read::<[Vec4; 3]>("found")), &scalars(&expected), 1e-5);
    }
}
