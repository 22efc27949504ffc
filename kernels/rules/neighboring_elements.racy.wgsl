// check: --workgroups 1 --buffer data=zeros:32
// Rule: two invocations that write one element race.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane / 2u] = lane;
//  ^^^^^^^^^^^^^^^ race: write/write on data[..]
}
