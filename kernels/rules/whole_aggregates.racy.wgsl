// check: --workgroups 1 --buffer results=zeros:2
// Rule: loading or storing a struct touches each of its members.
struct Body { mass: f32, tag: u32, trail: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> bodies: array<Body, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        bodies[0] = Body(1.0, 2u, array(3u, 4u));
//      ^^^^^^^^^ race: write/read on bodies[..].trail[..]
    } else {
        results[lane] = bodies[0].trail[1];
//                      ^^^^^^^^^^^^^^^^^^ race: read/write on bodies[..].trail[..]
    }
}
