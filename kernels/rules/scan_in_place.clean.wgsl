// check: --workgroups 1 --buffer results=zeros:64
// Rule: a barrier between the reads and the writes of a turn, and one after it.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> sums: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    sums[lane] = 1u;
    workgroupBarrier();
    for (var reach = 1u; reach < 64u; reach *= 2u) {
        var before = 0u;
        if (lane >= reach) {
            before = sums[lane - reach];
        }
        workgroupBarrier();
        sums[lane] += before;
        workgroupBarrier();
    }
    results[lane] = sums[lane];
}
