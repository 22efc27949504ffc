// check: --workgroups 1 --buffer results=zeros:64
// Rule: clearing workgroup memory by hand is a write like any other.
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[0] = 0u;
//  ^^^^^^^ race: write/write on tile[..]
//  ^^^^^^^ race: write/read on tile[..]
    results[lane] = tile[63u - lane];
//                  ^^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
