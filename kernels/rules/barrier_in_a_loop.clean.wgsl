// check: --workgroups 1 --buffer results=zeros:8
// Rule: a loop with one bound for all is uniform control flow.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var i = 0u; i < 8u; i++) {
        workgroupBarrier();
    }
    results[lane] = 1u;
}
