// Prefix sums over workgroups in one dispatch: each waits for the sum of the one before it, by its id.
struct Part { sum: atomic<u32>, ready: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> parts: array<Part>;

@compute @workgroup_size(1)
fn look_back(@builtin(workgroup_id) group: vec3<u32>) {
    var before = 0u;
    if (group.x > 0u) {
        while (atomicLoad(&parts[group.x - 1u].ready) == 0u) {}
        before = atomicLoad(&parts[group.x - 1u].sum);
    }
    let sum = before + data[group.x];
    data[group.x] = sum;
    atomicStore(&parts[group.x].sum, sum);
    atomicStore(&parts[group.x].ready, 1u);
}
