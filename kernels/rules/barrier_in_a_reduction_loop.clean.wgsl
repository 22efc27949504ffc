// check: --workgroups 2 --buffer results=zeros:2
// Rule: every turn of a loop that reads what the turn before wrote needs its own barrier.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    tile[lane] = lane;
    workgroupBarrier();
    for (var stride = 32u; stride > 0u; stride /= 2u) {
        if (lane < stride) {
            tile[lane] += tile[lane + stride];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        results[group.x] = tile[0];
    }
}
