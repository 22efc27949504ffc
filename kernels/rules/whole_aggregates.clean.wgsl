// check: --workgroups 1 --buffer results=zeros:2
// Rule: members of one struct are separate while nobody touches the whole.
struct Body { mass: f32, tag: u32, trail: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
var<workgroup> bodies: array<Body, 1>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        bodies[0].mass = 1.0;
        bodies[0].trail[0] = 3u;
    } else {
        results[lane] = bodies[0].trail[1] + bodies[0].tag;
    }
}
