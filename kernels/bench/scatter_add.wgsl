// Reference kernel «scatter-add»: 64 reads and writes of read_write memory an invocation. Every
// word belongs to one invocation, by a permutation of 22 bits that no analysis of indices sees
// through, so that nothing races and nothing can be proved not to.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn permuted(n: u32) -> u32 {
    let a = (n * 2654435761u) & 0x3fffffu;
    let b = a ^ (a >> 11u);
    return (b * 2246822519u) & 0x3fffffu;
}

@compute @workgroup_size(64)
fn scatter_add(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = 0u; i < 64u; i++) {
        data[permuted(id.x * 64u + i)] += i;
    }
}
