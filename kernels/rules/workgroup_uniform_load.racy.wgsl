// check: --workgroups 1 --buffer results=zeros:64
// Rule: a plain load is no barrier.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> leader: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        leader = 7u;
//      ^^^^^^ race: write/read on leader
//      ^^^^^^ race: write/write on leader
    }
    let seen = leader;
//             ^^^^^^ race: read/write on leader
//             ^^^^^^ race: read/write on leader
    if (lane == 63u) {
        leader = 8u;
//      ^^^^^^ race: write/read on leader
//      ^^^^^^ race: write/write on leader
    }
    results[lane] = seen;
}
