// check: --entry both --workgroups 2 --buffer data=iota:64 --buffer results=zeros:64
// Rule: within one dispatch nothing orders two workgroups.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(32)
fn both(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = id.x;
//  ^^^^^^^^^^ race: write/read on data[..]
    results[id.x] = data[63u - id.x];
//                  ^^^^^^^^^^^^^^^^ race: read/write on data[..]
}
