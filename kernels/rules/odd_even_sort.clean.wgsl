// check: --workgroups 1 --buffer data=9,3,7,1,8,2,6,4
// The same sort of what one workgroup holds.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn order(i: u32) {
    if (i + 1u < arrayLength(&data)) {
        let left = data[i];
        let right = data[i + 1u];
        if (left > right) {
            data[i] = right;
            data[i + 1u] = left;
        }
    }
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var turn = 0u; turn < 4u; turn++) {
        order(lane * 2u);
        storageBarrier();
        order(lane * 2u + 1u);
        storageBarrier();
    }
}
