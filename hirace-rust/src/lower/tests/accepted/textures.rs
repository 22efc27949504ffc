#[hirace::monitor(workgroup_size(8, 8))]
fn filter(
    #[builtin(global_invocation_id)] gid: UVec3,
    image: &Texture2d<f32>,
    layers: &Texture2dArray<u32>,
    line: &Texture1d<f32>,
    volume: &Texture3d<i32>,
    samples: &TextureMultisampled2d<f32>,
    depth: &TextureDepth2d,
    sampler: &Sampler,
    out: &TextureStorage2d<Rgba8Unorm, Write>,
    counts: &TextureStorage2d<R32Uint, ReadWrite>,
) {
    let size = texture_dimensions(image);
    if gid.x >= size.x || gid.y >= size.y {
        return;
    }
    let here = gid.xy();
    let mut color = texture_load(image, here, 0);
    color += texture_load(image, here.as_ivec2() + IVec2::new(1, 0), 0);
    color.x += texture_load(depth, here, 0);
    color += texture_load(samples, here, 1);
    color += texture_load(line, gid.x, 0);
    let layer = layers.load(here, 1, 0);
    let cell = texture_load(volume, gid, 0);
    color += texture_sample_level(image, sampler, here.as_vec2() / size.as_vec2(), 0.0);
    texture_store(out, here, color * 0.5);
    texture_store(counts, here, layer + cell.as_uvec4());
    texture_barrier();
}
