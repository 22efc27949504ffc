// check: --workgroups 3 --buffer results=zeros:192 --buffer left_out=0,1,0
// Rule: a workgroup that returns as a whole leaves nobody waiting.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> left_out: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    tile[lane] = id.x;
    if (left_out[group.x] == 1u) {
        return;
    }
    workgroupBarrier();
    results[id.x] = tile[lane ^ 1u];
}
