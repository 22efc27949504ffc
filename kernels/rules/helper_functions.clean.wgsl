// check: --workgroups 1 --buffer results=zeros:64
// Rule: a barrier in a helper function is a barrier.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

fn put(slot: ptr<workgroup, u32>, value: u32) {
    *slot = value;
    workgroupBarrier();
}

fn fetch(index: u32) -> u32 {
    return tile[index];
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    put(&tile[lane], lane);
    results[lane] = fetch(63u - lane);
}
