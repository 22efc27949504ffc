// check: --workgroups 1 --buffer results=zeros:64
// Rule: workgroupUniformLoad is a barrier, and all invocations must reach it.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> leader: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var seen = 0u;
    if (lane >= 32u) {
        seen = workgroupUniformLoad(&leader);
//             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ divergence
    }
    results[lane] = seen;
}
