// check: --workgroups 1 --buffer results=zeros:64
// Rule: what is in workgroup memory is shared.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> scratch: array<u32, 2>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    scratch[1] = lane;
//  ^^^^^^^^^^ race: write/write on scratch[..]
//  ^^^^^^^^^^ race: write/read on scratch[..]
    results[lane] = scratch[1];
//                  ^^^^^^^^^^ race: read/write on scratch[..]
}
