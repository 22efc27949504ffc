// check: --workgroups 2 --buffer data=9,3,7,1,8,2,6,4,5,0,15,11,13,10,14,12,21,17
// An odd-even transposition sort that hopes storageBarrier() holds between workgroups: it sorts
// within each, and races at the seam.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

fn order(i: u32) {
    if (i + 1u < arrayLength(&data)) {
        let left = data[i];
//                 ^^^^^^^ race: read/write on data[..]
        let right = data[i + 1u];
//                  ^^^^^^^^^^^^ race: read/write on data[..]
        if (left > right) {
            data[i] = right;
//          ^^^^^^^ race: write/read on data[..]
//          ^^^^^^^ race: write/write on data[..]
            data[i + 1u] = left;
//          ^^^^^^^^^^^^ race: write/read on data[..]
//          ^^^^^^^^^^^^ race: write/write on data[..]
        }
    }
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var turn = 0u; turn < 9u; turn++) {
        order(id.x * 2u);
        storageBarrier();
        order(id.x * 2u + 1u);
        storageBarrier();
    }
}
