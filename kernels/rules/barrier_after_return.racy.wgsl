// check: --workgroups 1 --buffer data=iota:50
// Rule: an invocation that has returned does not reach the barrier the others wait at.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane >= arrayLength(&data)) {
        return;
    }
    tile[lane] = data[lane];
    workgroupBarrier();
//  ^^^^^^^^^^^^^^^^^^ divergence
    data[lane] = tile[lane];
}
