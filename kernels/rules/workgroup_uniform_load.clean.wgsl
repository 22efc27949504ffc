// check: --workgroups 1 --buffer results=zeros:64
// Rule: workgroupUniformLoad() is a barrier of workgroup memory before its load and after it.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> leader: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        leader = 7u;
    }
    let seen = workgroupUniformLoad(&leader);
    if (lane == 63u) {
        leader = 8u;
    }
    results[lane] = seen;
}
