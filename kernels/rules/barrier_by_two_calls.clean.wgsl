// check: --workgroups 1 --buffer results=zeros:64
// Rule: one call, of whatever is passed, brings all invocations to one barrier together.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;

fn wait_for(value: u32) -> u32 {
    if (results[64u - 1u] == 0u) {
        storageBarrier();
    }
    return value;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let value = wait_for(select(2u, 1u, lane < 7u));
    let other = wait_for(value);
    storageBarrier();
    results[lane] = value + other;
}
