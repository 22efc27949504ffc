#[hirace::monitor]
mod kernels {
    use hirace::prelude::*;

    #[kernel(workgroup_size(64))]
    fn all(
        #[builtin(global_invocation_id)] gid: UVec3,
        #[builtin(local_invocation_index)] lane: u32,
        input: &[f32],
        output: &mut [f32],
        hits: &Atomic<u32>,
        flags: &[Atomic<i32>],
        plain: &mut [u32],
        points: &mut [Vec4],
        image: &Texture2d<f32>,
        layers: &Texture2dArray<f32>,
        depth: &TextureDepth2d,
        compare: &SamplerComparison,
        sampler: &Sampler,
        target: &TextureStorage2d<Rgba8Unorm, Write>,
        #[workgroup] tile: &mut [f32; 64],
        #[workgroup] shared: &mut u32,
    ) {
        tile[lane] = input[gid.x];
        workgroup_barrier();
        let m = mix(Vec3::ONE, Vec3::ZERO, 0.5);
        let k = mix(1.0, 2.0, 0.5);
        let q = select(1.0, 2.0, lane > 3);
        let p = points[lane];
        let v = select(Vec4::ONE, p, p.cmplt(Vec4::ZERO));
        hits.fetch_add(1);
        *hits.plain() += 1;
        atomic_add(&mut plain[lane], 1);
        atomic_add(&flags[lane], 1);
        let n = array_length(input) + input.len() + tile.len();
        let b = bitcast::<u32>(1.0);
        let c: Vec3 = bitcast(UVec3::ONE);
        let t = texture_load(image, gid.xy(), 0);
        let u = layers.load(gid.xy(), 1, 0) + image.sample_level(sampler, Vec2::ZERO, 0.0);
        let g = image.gather(1, sampler, vec2(0.5, 0.5)) + image.sample_level_offset(sampler, Vec2::ZERO, 0.0, ivec2(1, 0));
        let d = depth.sample_compare_level(compare, vec2(0.5, 0.5), 0.5);
        target.store(gid.xy(), t + u + g);
        let size = image.dimensions() + target.dimensions() + image.dimensions_of_level(0);
        let (f, e) = frexp(p.x);
        let (s, co) = p.y.sin_cos();
        let (len, h) = p.normalize_and_length();
        let first = workgroup_uniform_load(shared);
        let mm = Mat3::from_rotation_x(0.5) * Mat3::from_diagonal(m);
        let col = mm.col(lane % 3) + mm.row(1);
        let r = mm.inverse().mul_vec3(col) * mm.determinant();
        let a = Vec3::from_array([1.0, 2.0, 3.0]).to_array();
        let rot = plain[lane].rotate_left(3).wrapping_add(4294967295).count_ones();
        let sat = (-5i32).rem_euclid(3) + (lane as i32).saturating_sub(7).signum();
        let x = any(p.cmplt(Vec4::ZERO)) && p.cmpgt(Vec4::ZERO).any() && (p == Vec4::ZERO);
        let y = subgroup_add(lane) + subgroup_shuffle_down(lane, 1) + subgroup_broadcast(lane, 0);
        if subgroup_elect() { plain[0] = y; }
        output[gid.x] = f + e as f32 + s + co + len.x + h + a[1] + r.x + k + q + v.x + c.x + d + p.powf(2.0).x
            + p.x.powi(3) + std::f32::consts::PI + f32::MAX.min(1.0) + n as f32 + b as f32 + rot as f32 + sat as f32
            + size.x as f32 + first as f32 + x as u32 as f32 + p.truncate().cross(Vec3::X).length() + m.round().signum().y
            + Vec3::select(m.cmpeq(m), m, m).element_sum() + (f32::from_bits(lane)).hypot(2.0) + Mat2x3::ZERO.mul_vec2(Vec2::ONE).x + p.with_x(2.0).xyz().max_element();
    }
}
