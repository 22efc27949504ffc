// check: --workgroups 1 --buffer results=zeros:64
// Rule: the left side of && is always evaluated.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> owner: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (owner == 0u && lane == 0u) {
//      ^^^^^ race: read/write on owner
        owner = 1u;
//      ^^^^^ race: write/read on owner
    }
    results[lane] = 1u;
}
