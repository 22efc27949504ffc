// check: --workgroups 1 --buffer points=zeros:1
// Rule: the members of a struct are separate, scalars side by side included.
struct Point { x: f32, y: f32, z: f32, w: f32 }
@group(0) @binding(0) var<storage, read_write> points: array<Point>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        points[0].x = 1.0;
    } else {
        points[0].y = 2.0;
    }
}
