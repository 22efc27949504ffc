// check: --workgroups 1 --buffer results=zeros:64
// Rule: a barrier orders what relaxed atomics do not.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tickets: atomic<u32>;
var<workgroup> parts: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    parts[lane] = lane;
    let ticket = atomicAdd(&tickets, 1u);
    workgroupBarrier();
    if (ticket == 63u) {
        for (var i = 0u; i < 64u; i++) {
            results[0] += parts[i];
        }
    }
}
