// check: --workgroups 2 --buffer input=iota:128 --buffer output=zeros:128
// A tile read across while it is still being written.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
var<workgroup> tile: array<array<u32, 8>, 8>;

@compute @workgroup_size(8, 8)
fn main(
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let base = group.x * 64u;
    tile[local.y][local.x] = input[base + local.y * 8u + local.x];
//  ^^^^^^^^^^^^^^^^^^^^^^ race: write/read on tile[..][..]
    output[base + local.y * 8u + local.x] = tile[local.x][local.y];
//                                          ^^^^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..][..]
}
