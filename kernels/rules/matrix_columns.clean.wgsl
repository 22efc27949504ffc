// check: --workgroups 1 --buffer basis=zeros
// Rule: the columns of a matrix are separate.
@group(0) @binding(0) var<storage, read_write> basis: mat3x3<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lane: u32) {
    basis[lane][0] = 1.0;
}
