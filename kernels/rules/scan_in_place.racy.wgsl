// check: --workgroups 1 --buffer results=zeros:64
// Rule: reading and writing one array in the same epoch races, though there is a barrier every turn.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    sums[lane] = 1u;
    workgroupBarrier();
    for (var reach = 1u; reach < 64u; reach *= 2u) {
        if (lane >= reach) {
            sums[lane] += sums[lane - reach];
//          ^^^^^^^^^^ race: write/read on sums[..]
//                        ^^^^^^^^^^^^^^^^^^ race: read/write on sums[..]
        }
        workgroupBarrier();
    }
    results[lane] = sums[lane];
}
