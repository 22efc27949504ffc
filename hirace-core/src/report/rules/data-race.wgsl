@group(0) @binding(0) var<storage, read_write> values: array<f32>;
var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    tile[lane] = values[id.x];
    values[id.x] = tile[63u - lane];
}
