// check: --dispatch first:2 --dispatch second:2 --buffer data=iota:64 --buffer results=zeros:64
// Rule: dispatches are ordered after one another.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(32)
fn first(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = id.x;
}

@compute @workgroup_size(32)
fn second(@builtin(global_invocation_id) id: vec3<u32>) {
    results[id.x] = data[63u - id.x];
}
