// Sums blocks of 64 numbers by a tree in workgroup memory. A barrier is missing.

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

var<workgroup> tile: array<f32, 64>;

@compute @workgroup_size(64)
fn block_sum(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    tile[lane] = input[gid.x];
    workgroupBarrier();

    for (var stride = 32u; stride > 0u; stride /= 2u) {
        if (lane < stride) {
            tile[lane] += tile[lane + stride];
        }
    }

    if (lane == 0u) {
        output[group.x] = tile[0];
    }
}
