// check: --workgroups 1
// target: vulkan1.2
// expect: HR001 certain All lines 12,13
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 4) in;
struct Inner { vec3 point; float weight; uint count; };
struct Outer { Inner inner[2]; vec3 last; };
layout(scalar, binding = 0) buffer All { Outer all[4]; };
void main() {
    uint l = gl_LocalInvocationIndex;
    all[l].inner[1] = Inner(vec3(1.0), 2.0, l);
    all[(l + 1u) % 4u].inner[1].count = 3u;
    all[l].last = vec3(2.0);
}
