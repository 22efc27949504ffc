// Reference kernel «tile-scan»: a prefix sum in workgroup memory, eight times over, with two barriers in each
// of its six rounds.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn tile_scan(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    tile[lane] = data[id.x];
    workgroupBarrier();
    for (var n = 0u; n < 8u; n++) {
        for (var step = 1u; step < 64u; step *= 2u) {
            let other = tile[(lane + 64u - step) % 64u];
            workgroupBarrier();
            if lane >= step {
                tile[lane] += other;
            }
            workgroupBarrier();
        }
    }
    data[id.x] = tile[lane];
}
