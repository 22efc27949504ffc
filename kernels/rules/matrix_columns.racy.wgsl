// check: --workgroups 1 --buffer basis=zeros
// Rule: a column of a matrix is a vector: its components are one location for writes.
@group(0) @binding(0) var<storage, read_write> basis: mat3x3<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lane: u32) {
    basis[0][lane] = 1.0;
//  ^^^^^^^^^^^^^^ race: write/write on basis[..].x
}
