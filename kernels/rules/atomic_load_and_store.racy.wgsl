// check: --workgroups 1 --buffer results=zeros:64
// Rule: plain loads and stores of one word by several invocations race, whatever its value.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> last: u32;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    last = lane;
//  ^^^^ race: write/read on last
//  ^^^^ race: write/write on last
    results[lane] = last;
//                  ^^^^ race: read/write on last
}
