// check: --workgroups 2 --buffer message=zeros --buffer results=zeros:2
// Rule: what passes between workgroups of one dispatch has to be atomic itself.
@group(0) @binding(0) var<storage, read_write> message: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x == 0u) {
        atomicStore(&message, 42u);
    } else {
        results[group.x] = atomicLoad(&message);
    }
}
