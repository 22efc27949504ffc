// check: --workgroups 1 --buffer results=zeros:64 --buffer on=1
// Rule: in a branch that all take, workgroupUniformLoad is reached by all.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read_write> on: array<u32>;
var<workgroup> leader: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var seen = 0u;
    if (on[0] == 1u) {
        seen = workgroupUniformLoad(&leader);
    }
    results[lane] = seen;
}
