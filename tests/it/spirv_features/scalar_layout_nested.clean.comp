// check: --workgroups 1
// target: vulkan1.2
// expect: clean
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 4) in;
struct Inner { vec3 points[2]; };
struct Outer { Inner inner; vec3 last; Inner more[2]; uint count; };
struct Whole { uint first; Outer outer[2]; vec3 sums[3]; };
layout(scalar, binding = 0) buffer All { Whole all[4]; };
void main() {
    uint l = gl_LocalInvocationIndex;
    Inner own = all[l].outer[1].inner;
    own.points[0].x += 1.0;
    all[l].outer[1].inner = own;
    all[(l + 1u) % 4u].outer[1].last = vec3(1.0);
    all[(l + 2u) % 4u].outer[1].more[0] = own;
    all[(l + 3u) % 4u].outer[1].more[1].points[1] = vec3(2.0);
    all[(l + 1u) % 4u].outer[1].count = 4u;
    all[(l + 1u) % 4u].sums[0] = vec3(2.0);
    all[(l + 2u) % 4u].sums[1] = vec3(2.0);
}
