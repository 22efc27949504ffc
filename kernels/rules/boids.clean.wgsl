// check: --workgroups 2 --buffer before=random:128 --buffer after=zeros:128
// The flock as it was, and the flock as it will be.
struct Boid { position: vec2<f32>, velocity: vec2<f32> }
@group(0) @binding(0) var<storage, read> before: array<Boid>;
@group(0) @binding(1) var<storage, read_write> after: array<Boid>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var center = vec2<f32>();
    for (var i = 0u; i < arrayLength(&before); i++) {
        center += before[i].position;
    }
    center /= f32(arrayLength(&before));
    let boid = before[id.x];
    let velocity = boid.velocity + (center - boid.position) * 0.1;
    after[id.x] = Boid(boid.position + velocity, velocity);
}
