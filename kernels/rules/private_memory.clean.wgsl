// check: --workgroups 1 --buffer results=zeros:64
// Rule: private and function variables are never shared.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<private> scratch: array<u32, 2>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var own: array<u32, 2>;
    scratch[1] = lane;
    own[0] = scratch[1];
    results[lane] = own[0];
}
