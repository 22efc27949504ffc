// check: --workgroups 1 --buffer results=zeros:64
// Rule: atomics are relaxed: they order no other location. The lane that draws the last ticket
// reads what the others wrote, and nothing makes it wait for those writes.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tickets: atomic<u32>;
var<workgroup> parts: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    parts[lane] = lane;
//  ^^^^^^^^^^^ race: write/read on parts[..]
    if (atomicAdd(&tickets, 1u) == 63u) {
        for (var i = 0u; i < 64u; i++) {
            results[0] += parts[i];
//                        ^^^^^^^^ race: read/write on parts[..]
        }
    }
}
