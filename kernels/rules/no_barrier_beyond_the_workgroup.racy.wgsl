// check: --workgroups 2 --buffer data=iota:64 --buffer results=zeros:64
// Rule: no barrier reaches beyond the workgroup. Within one of them this exchange is ordered;
// at the seam between two it is not.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = id.x;
//  ^^^^^^^^^^ race: write/read on data[..]
    storageBarrier();
    results[id.x] = data[(id.x + 1u) % 64u];
//                  ^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on data[..]
}
