#[hirace::monitor(workgroup_size(64))]
fn functions(
    #[builtin(local_invocation_index)] lane: u32,
    output: &mut [f32],
    image: &Texture2d<f32>,
    sampler: &Sampler,
) {
    let a = bitcast::<u32>(true);
//          ^^^^^^^^^^^^^^^^^^^^ `bool` has no bits to make a `u32` of: numbers, or vectors of as many of them, have the same bits
    let b = bitcast::<UVec3>(Vec2::ONE);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ `Vec2` has no bits to make a `UVec3` of: numbers, or vectors of as many of them, have the same bits
    let c = bitcast(1.0);
//      ^ the type of this is not known: say it, `let x: T = …`
//          ^^^^^^^^^^^^ the type of this is not known: write it, `bitcast::<u32>(…)`
    let d: Vec2 = bitcast(lane);
//                ^^^^^^^^^^^^^ `u32` has no bits to make a `Vec2` of: numbers, or vectors of as many of them, have the same bits
    let e = texture_sample(image, sampler, Vec2::ZERO);
//          ^^^^^^^^^^^^^^ there is no `texture_sample` in kernels: compute shaders have no derivatives: give the level, or the gradients, to `texture.sample_level` or `texture.sample_grad`
    let f = dpdx(output[lane]);
//          ^^^^ there is no `dpdx` in kernels: compute shaders have no derivatives
    let g = lane.checked_add(1);
    let h = lane.pow(2);
    let i = Mat4::IDENTITY.inverse();
//                         ^^^^^^^ `Mat4` has no method `inverse`: WGSL inverts no matrices of four columns: invert it on the host
    let j = workgroupBarrier();
//          ^^^^^^^^^^^^^^^^ unknown function `workgroupBarrier` (did you mean `workgroup_barrier`?); if `workgroupBarrier` stands elsewhere, mark it with `#[hirace::monitor]`
    let k = mix(Vec3::ONE, Vec3::ONE, true);
//                                    ^^^^ expected `f32`, found `bool`: convert it, `select(0.0, 1.0, …)`
}
