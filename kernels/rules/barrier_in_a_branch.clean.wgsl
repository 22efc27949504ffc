// check: --workgroups 2 --buffer results=zeros:128
// Rule: a branch that all invocations of the workgroup take alike is uniform control flow.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    if (group.x == 0u) {
        workgroupBarrier();
    }
    results[id.x] = 1u;
}
