// check: --workgroups 1 --buffer data=zeros:48
// Rule: an index that was compared with arrayLength() is within bounds.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(49)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane + 16u < arrayLength(&data)) {
        data[lane + 16u] = lane;
    }
}
