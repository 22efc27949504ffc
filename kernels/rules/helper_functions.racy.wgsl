// check: --workgroups 1 --buffer results=zeros:64
// Rule: an access in a helper function is one of whoever calls it, on the memory it is given.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

fn put(slot: ptr<workgroup, u32>, value: u32) {
    *slot = value;
//  ^^^^^ race: write/read on tile[..]
}

fn fetch(index: u32) -> u32 {
    return tile[index];
//         ^^^^^^^^^^^ race: read/write on tile[..]
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    put(&tile[lane], lane);
    results[lane] = fetch(63u - lane);
}
