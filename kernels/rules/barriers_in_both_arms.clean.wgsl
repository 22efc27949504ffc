// check: --workgroups 3 --buffer results=zeros:192 --buffer bounds=1,9,1
// Rule: arms between which a value decides that is one for the workgroup are uniform control flow.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> bounds: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    if (bounds[group.x] < 4u) {
        workgroupBarrier();
    } else {
        workgroupBarrier();
    }
    results[id.x] = 1u;
}
