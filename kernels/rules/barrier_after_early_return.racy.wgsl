// check: --workgroups 3 --buffer results=zeros:192
// Rule: a workgroup is not whole after one of its invocations has returned.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    tile[lane] = id.x;
    if (id.x == 100u) {
        return;
    }
    workgroupBarrier();
//  ^^^^^^^^^^^^^^^^^^ divergence
    results[id.x] = tile[lane];
}
