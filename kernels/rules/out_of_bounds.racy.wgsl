// check: --workgroups 1 --buffer data=zeros:48
// Rule: an index past the end is a bug of its own: implementations clamp it, or drop the access.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(49)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane + 16u] = lane;
//  ^^^^^^^^^^^^^^^^ bounds: data
//  ^^^^^^^^^^^^^^^^ race: write/write on data[..]
}
