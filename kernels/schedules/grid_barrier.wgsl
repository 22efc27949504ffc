// A barrier of all workgroups, which no device promises: it needs them all to be resident.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> arrived: atomic<u32>;

@compute @workgroup_size(1)
fn halves(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    data[group.x] += 1u;
    atomicAdd(&arrived, 1u);
    while (atomicLoad(&arrived) < groups.x) {}
    data[groups.x + group.x] = group.x;
}
