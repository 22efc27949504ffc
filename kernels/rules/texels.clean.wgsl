// check: --workgroups 1
// Rule: neighboring texels are separate.
@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    textureStore(image, vec2(lane, 0u), vec4(f32(lane)));
}
