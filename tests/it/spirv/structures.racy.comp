// check: --workgroups 1 --buffer world=zeros:8
#version 450
layout(local_size_x = 8) in;
struct Particle { vec3 position; float mass; vec2 speed[2]; };
layout(std430, binding = 0) buffer World { Particle particles[]; } world;
shared mat3 turn[8];
void main() {
    uint lane = gl_LocalInvocationIndex;
    world.particles[lane].position.x = 1.0;
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: write/read on world.particles[..].position.x
    turn[lane][1] = vec3(2.0);
    float y = world.particles[7 - lane].position.x;
//            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on world.particles[..].position.x
    world.particles[lane].speed[1].y = world.particles[lane].mass + y + turn[lane][1][2];
}
