// Reference kernel «gather»: 64 loads of one storage array an invocation, at addresses that jump
// about, and one store.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    var at = id.x;
    for (var i = 0u; i < 64u; i++) {
        at = at * 1664525u + 1013904223u;
        sum += input[at >> 16u];
    }
    output[id.x] = sum;
}
