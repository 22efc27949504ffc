// check: --workgroups 2 --buffer data=iota:64 --buffer results=zeros:64
// Rule: a barrier orders the invocations of its own workgroup.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(32)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    data[id.x] = id.x;
    storageBarrier();
    results[id.x] = data[group.x * 32u + (lane + 1u) % 32u];
}
