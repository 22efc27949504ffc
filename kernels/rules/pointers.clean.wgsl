// check: --workgroups 1 --buffer results=zeros:64
// Rule: taking the address of an element is no access.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let mine = &tile[lane];
    let theirs = &tile[63u - lane];
    *mine = lane;
    workgroupBarrier();
    results[lane] = *theirs;
}
