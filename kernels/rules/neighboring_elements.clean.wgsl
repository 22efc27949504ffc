// check: --workgroups 1 --buffer data=zeros:64
// Rule: neighboring elements of an array are separate.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane] = lane;
}
