// check: --workgroups 1 --buffer data=iota:64 --buffer results=zeros:64
// Rule: a barrier orders only the memory it names. Both memories are handed over here, and only
// one is ordered.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = lane;
    data[lane] = lane;
//  ^^^^^^^^^^ race: write/read on data[..]
    workgroupBarrier();
    results[lane] = tile[63u - lane] + data[63u - lane];
//                                     ^^^^^^^^^^^^^^^^ race: read/write on data[..]
}
