// check: --workgroups 1 --buffer results=zeros:64
// Rule: two barriers are two, though each invocation comes to as many as any other.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane < 40u) {
        workgroupBarrier();
//      ^^^^^^^^^^^^^^^^^^ divergence
    } else {
        workgroupBarrier();
//      ^^^^^^^^^^^^^^^^^^ divergence
    }
    results[lane] = 1u;
}
