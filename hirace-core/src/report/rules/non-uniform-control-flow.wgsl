@group(0) @binding(0) var<storage, read_write> steps: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> count: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32) {
    if index == 0u { count = min(steps[0], 4u); }
    workgroupBarrier();
    for (var i = 0u; i < count; i++) {
        data[index] += 1u;
        storageBarrier();
    }
}
