// check: --workgroups 1 --buffer points=zeros:1
// Rule: writing one component of a vector may touch the whole vector.
@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        points[0].x = 1.0;
//      ^^^^^^^^^^^ race: write/write on points[..].x
    } else {
        points[0].y = 2.0;
//      ^^^^^^^^^^^ race: write/write on points[..].x
    }
}
