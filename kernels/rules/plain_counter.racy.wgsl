// check: --workgroups 2 --buffer count=zeros
// Rule: an increment that is no atomic operation is a read and a write, and each races.
@group(0) @binding(0) var<storage, read_write> count: u32;

@compute @workgroup_size(8)
fn main() {
    count += 1u;
//  ^^^^^ race: read/write on count
//  ^^^^^ race: write/read on count
}
