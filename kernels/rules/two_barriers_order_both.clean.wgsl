// check: --workgroups 1 --buffer data=iota:64 --buffer results=zeros:64
// Rule: calling two barriers in a row orders both memories.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = lane;
    data[lane] = lane;
    workgroupBarrier();
    storageBarrier();
    results[lane] = tile[63u - lane] + data[63u - lane];
}
