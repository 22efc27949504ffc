// check: --workgroups 1 --buffer results=zeros:64
// Rule: barriers must be in uniform control flow.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane < 16u) {
        workgroupBarrier();
//      ^^^^^^^^^^^^^^^^^^ divergence
    }
    results[lane] = 1u;
}
