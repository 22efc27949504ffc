// check: --workgroups 2 --buffer results=zeros:128 --buffer turns=3,0
// Rule: a loop whose bound is one for the workgroup is uniform control flow, and work in it may hang on the lane.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> turns: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    for (var i = 0u; i < turns[group.x]; i++) {
        if (lane == 63u) {
            results[id.x] += 1u;
        }
        workgroupBarrier();
    }
    results[id.x] += 1u;
}
