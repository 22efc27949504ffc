// check: --workgroups 1 --buffer flag=zeros
// Rule: a loop that cannot end is a dynamic error: it makes no progress.
@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;

@compute @workgroup_size(1)
fn main() {
    loop {
//  ^^^^ no-progress
        if (atomicLoad(&flag) == 1u) {
            break;
        }
    }
}
