// The same, with the order in which workgroups start in place of their ids: none waits for one that has not started.
struct Part { sum: atomic<u32>, ready: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> parts: array<Part>;
@group(0) @binding(2) var<storage, read_write> next: atomic<u32>;

@compute @workgroup_size(1)
fn look_back() {
    let group = atomicAdd(&next, 1u);
    var before = 0u;
    if (group > 0u) {
        while (atomicLoad(&parts[group - 1u].ready) == 0u) {}
        before = atomicLoad(&parts[group - 1u].sum);
    }
    let sum = before + data[group];
    data[group] = sum;
    atomicStore(&parts[group].sum, sum);
    atomicStore(&parts[group].ready, 1u);
}
