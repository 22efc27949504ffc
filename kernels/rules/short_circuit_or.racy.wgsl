// check: --workgroups 1 --buffer results=zeros:64
// Rule: the right side of || is evaluated where the left side does not hold.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> owner: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        owner = 1u;
//      ^^^^^ race: write/read on owner
    }
    if (lane == 0u || owner == 1u) {
//                    ^^^^^ race: read/write on owner
        results[lane] = 1u;
    }
}
