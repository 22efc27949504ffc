// check: --workgroups 1 --buffer results=zeros:32
// Rule: subgroup operations order no memory, even where all invocations are of one subgroup.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = lane;
//  ^^^^^^^^^^ race: write/read on tile[..]
    let sum = subgroupAdd(lane);
    results[lane] = sum + tile[31u - lane];
//                        ^^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
