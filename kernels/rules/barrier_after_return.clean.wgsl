// check: --workgroups 1 --buffer data=iota:50
// Rule: guard the accesses, not the barrier.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let length = arrayLength(&data);
    if (lane < length) {
        tile[lane] = data[lane];
    }
    workgroupBarrier();
    if (lane < length) {
        data[lane] = tile[length - 1u - lane];
    }
}
