// check: --workgroups 2 --buffer boids=random:128
// A flock updated in place: every boid reads the others while they move.
struct Boid { position: vec2<f32>, velocity: vec2<f32> }
@group(0) @binding(0) var<storage, read_write> boids: array<Boid>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var center = vec2<f32>();
    for (var i = 0u; i < arrayLength(&boids); i++) {
        center += boids[i].position;
//                ^^^^^^^^^^^^^^^^^ race: read/write on boids[..].position.x
    }
    center /= f32(arrayLength(&boids));
    let velocity = boids[id.x].velocity + (center - boids[id.x].position) * 0.1;
    boids[id.x].position += velocity;
//  ^^^^^^^^^^^^^^^^^^^^ race: write/read on boids[..].position.x
    boids[id.x].velocity = velocity;
}
