// check: --workgroups 3 --buffer results=zeros:48
// Rule: one turn more by one invocation is a barrier that the others do not reach.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var round = 0u; round < 3u; round++) {
        for (var turn = 0u; turn < select(1u, 2u, id.x == 5u); turn++) {
            storageBarrier();
//          ^^^^^^^^^^^^^^^^ divergence
        }
    }
    results[id.x] = 1u;
}
