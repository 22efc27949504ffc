// check: --workgroups 1 --buffer data=iota:64 --buffer results=zeros:64
// Rule: storage write, workgroupBarrier(), storage read by another invocation is a data race:
// workgroupBarrier() orders workgroup memory alone, though many implementations happen to do more.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    data[lane] = lane;
//  ^^^^^^^^^^ race: write/read on data[..]
    workgroupBarrier();
    results[lane] = data[63u - lane];
//                  ^^^^^^^^^^^^^^^^ race: read/write on data[..]
}
