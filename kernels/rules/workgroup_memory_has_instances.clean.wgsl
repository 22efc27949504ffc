// check: --workgroups 2 --buffer results=zeros:2
// Rule: each workgroup has workgroup memory of its own.
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
var<workgroup> total: u32;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    total = group.x;
    results[group.x] = total;
}
