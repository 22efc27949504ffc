// check: --workgroups 1 --buffer results=zeros:64
// Rule: subgroupBarrier() orders the invocations of a subgroup (32 of them here).
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[lane] = lane;
    subgroupBarrier();
    results[lane] = tile[lane ^ 1u];
}
