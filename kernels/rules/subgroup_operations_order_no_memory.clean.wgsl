// check: --workgroups 1 --buffer results=zeros:32
// Rule: values may pass through subgroup operations themselves.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    results[lane] = subgroupAdd(lane) + subgroupShuffle(lane, 31u - lane);
}
