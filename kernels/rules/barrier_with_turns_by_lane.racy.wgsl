// check: --workgroups 2 --buffer results=zeros:128
// Rule: a barrier in a loop is reached by all in each of its turns, or by none.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    for (var i = 0u; i < 4u; i++) {
        if (i == 2u && lane == 63u) {
            continue;
        }
        workgroupBarrier();
//      ^^^^^^^^^^^^^^^^^^ divergence
    }
    results[id.x] = 1u;
}
