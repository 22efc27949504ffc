// check: --workgroups 2 --buffer total=zeros --buffer results=zeros:2
// Rule: storage memory is one for the whole dispatch.
@group(0) @binding(0) var<storage, read_write> total: u32;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    total = group.x;
//  ^^^^^ race: write/write on total
//  ^^^^^ race: write/read on total
    results[group.x] = total;
//                     ^^^^^ race: read/write on total
}
