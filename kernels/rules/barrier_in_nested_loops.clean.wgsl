// check: --workgroups 3 --buffer results=zeros:48 --buffer turns=2,0,1
// Rule: turns that are one number for the workgroup bring all of it to the barrier.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> turns: array<u32>;

@compute @workgroup_size(16)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    for (var round = 0u; round < 3u; round++) {
        for (var turn = 0u; turn < turns[group.x]; turn++) {
            storageBarrier();
        }
    }
    results[id.x] = 1u;
}
