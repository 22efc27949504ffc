var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane < 32u {
        tile[lane] = lane;
        workgroupBarrier();
    }
}
