// check: --workgroups 2 --buffer flag=zeros
// Rule: a loop that waits for another workgroup ends when that one sets the flag.
@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x == 0u) {
        atomicStore(&flag, 1u);
        return;
    }
    loop {
        if (atomicLoad(&flag) == 1u) {
            break;
        }
    }
}
