// check: --workgroups 1 --buffer data=iota:64 --buffer results=zeros:64
// Rule: storageBarrier() orders storage memory within a workgroup.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane] = lane;
    storageBarrier();
    results[lane] = data[63u - lane];
}
