// check: --workgroups 1 --subgroup-size 32 --buffer results=zeros:64
// Rule: subgroupBarrier() orders the invocations of a subgroup, and 64 of them are two subgroups.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = lane;
//  ^^^^^^^^^^ race: write/read on tile[..]
    subgroupBarrier();
    results[lane] = tile[63u - lane];
//                  ^^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
