@group(0) @binding(0) var<storage, read_write> turn: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    loop {
        if atomicLoad(&turn) == lane + 1u {
            break;
        }
    }
    atomicAdd(&turn, 1u);
}
