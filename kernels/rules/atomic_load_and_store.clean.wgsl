// check: --workgroups 1 --buffer results=zeros:64
// Rule: atomicLoad and atomicStore are atomic operations.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> last: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    atomicStore(&last, lane);
    results[lane] = atomicLoad(&last);
}
