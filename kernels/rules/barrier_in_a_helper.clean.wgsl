// check: --workgroups 2 --buffer results=zeros:128 --buffer wanted=0,1
// Rule: a barrier in a function that all invocations of the workgroup call, or none, is reached by all.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> wanted: array<u32>;

fn wait() {
    workgroupBarrier();
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    if (wanted[group.x] != 0u) {
        wait();
    }
    wait();
    results[id.x] = 1u;
}
