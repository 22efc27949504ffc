// check: --workgroups 1 --buffer results=zeros:8
// Rule: textureBarrier() orders texels within a workgroup.
@group(0) @binding(0) var image: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    textureStore(image, vec2(lane, 0u), vec4(lane));
    textureBarrier();
    results[lane] = textureLoad(image, vec2(7u - lane, 0u)).x;
}
