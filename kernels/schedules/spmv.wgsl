// Sparse matrix times vector, rows sorted by length and padded to whole workgroups, as in Parboil's spmv. A padding row
// has no elements, and a permutation of 0: it writes what row 0 writes too.
struct Matrix { rows: u32, padded: u32 }
@group(0) @binding(0) var<uniform> matrix: Matrix;
@group(0) @binding(1) var<storage> starts: array<u32>;
@group(0) @binding(2) var<storage> columns: array<u32>;
@group(0) @binding(3) var<storage> values: array<u32>;
@group(0) @binding(4) var<storage> permutation: array<u32>;
@group(0) @binding(5) var<storage> vector: array<u32>;
@group(0) @binding(6) var<storage, read_write> product: array<u32>;

@compute @workgroup_size(4)
fn spmv(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if (row >= matrix.padded) { return; }
    var sum = 0u;
    for (var at = starts[row]; at < starts[row + 1u]; at++) {
        sum += values[at] * vector[columns[at]];
    }
    product[permutation[row]] = sum;
}
