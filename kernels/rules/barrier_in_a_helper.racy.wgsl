// check: --workgroups 2 --buffer results=zeros:128
// Rule: a barrier in a function is reached by those alone that call it.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

fn wait() {
    workgroupBarrier();
//  ^^^^^^^^^^^^^^^^^^ divergence
}

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    if (lane % 3u != 0u) {
        wait();
    }
    results[id.x] = 1u;
}
