#[hirace::monitor(workgroup_size(64))]
fn functions(
    #[builtin(local_invocation_index)] lane: u32,
    output: &mut [f32],
    image: &Texture2d<f32>,
    sampler: &Sampler,
) {
    let a = bitcast::<u32>(true);
//          ^^^^^^^^^^^^^^^^^^^^ `bool` cannot be bit-cast to `u32`: both must be numbers, or vectors with the same number of components, of the same width
    let b = bitcast::<UVec3>(Vec2::ONE);
//          ^^^^^^^^^^^^^^^^^^^^^^^^^^^ `Vec2` cannot be bit-cast to `UVec3`: both must be numbers, or vectors with the same number of components, of the same width
    let c = bitcast(1.0);
//      ^ type annotations needed: write `let x: T = …`
//          ^^^^^^^^^^^^ type annotations needed: write `bitcast::<u32>(…)`
    let d: Vec2 = bitcast(lane);
//                ^^^^^^^^^^^^^ `u32` cannot be bit-cast to `Vec2`: both must be numbers, or vectors with the same number of components, of the same width
    let e = texture_sample(image, sampler, Vec2::ZERO);
//          ^^^^^^^^^^^^^^ there is no `texture_sample` in kernels: compute shaders have no derivatives: pass the level to `texture.sample_level`, or the gradients to `texture.sample_grad`
    let f = dpdx(output[lane]);
//          ^^^^ there is no `dpdx` in kernels: compute shaders have no derivatives
    let g = lane.checked_add(1);
    let h = lane.pow(2);
    let i = Mat4::IDENTITY.inverse();
//                         ^^^^^^^ `Mat4` has no method `inverse`: WGSL cannot invert a matrix of four columns: invert it on the host
    let j = workgroupBarrier();
//          ^^^^^^^^^^^^^^^^ unknown function `workgroupBarrier` (did you mean `workgroup_barrier`?); if `workgroupBarrier` is declared elsewhere, mark it with `#[hirace::monitor]`
    let k = mix(Vec3::ONE, Vec3::ONE, true);
//                                    ^^^^ expected `f32`, found `bool`: convert it, `select(0.0, 1.0, …)`
}
