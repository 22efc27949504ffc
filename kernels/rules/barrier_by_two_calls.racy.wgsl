// check: --workgroups 1 --buffer results=zeros:64
// Rule: calls in two arms do not bring invocations to one barrier together.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

fn wait_for(value: u32) -> u32 {
    workgroupBarrier();
//  ^^^^^^^^^^^^^^^^^^ divergence
    return value;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var value = 0u;
    if (lane < 7u) {
        value = wait_for(1u);
    } else {
        value = wait_for(2u);
    }
    results[lane] = value;
}
