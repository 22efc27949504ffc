// check: --workgroups 1 --buffer results=zeros:64
// Rule: workgroup memory is zero before the first access; that is no access of any invocation.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    results[lane] = tile[63u - lane];
}
