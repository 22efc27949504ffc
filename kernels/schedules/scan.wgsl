// Prefix sums of a workgroup, whose lanes past the end leave before the barriers, as in the scan that CLTestCheck found
// to diverge.
@group(0) @binding(0) var<uniform> length: u32;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 16>;

@compute @workgroup_size(16)
fn scan(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (id.x >= length) { return; }
    tile[lane] = data[id.x];
    for (var step = 1u; step < 16u; step *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if (lane >= step) { before = tile[lane - step]; }
        workgroupBarrier();
        tile[lane] += before;
    }
    data[id.x] = tile[lane];
}
