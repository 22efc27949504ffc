// check: --workgroups 2 --buffer count=zeros
// Rule: atomic operations do not race with one another.
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(8)
fn main() {
    atomicAdd(&count, 1u);
}
