// check: --workgroups 1 --buffer points=zeros:1 --buffer results=zeros:2
// Rule: a write of one component races with a read of another.
@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> results: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        points[0].x = 1.0;
//      ^^^^^^^^^^^ race: write/read on points[..].w
    } else {
        results[lane] = points[0].w;
//                      ^^^^^^^^^^^ race: read/write on points[..].w
    }
}
