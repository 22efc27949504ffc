// check: --workgroups 1 --buffer Out=zeros:64 --buffer Pairs=zeros:64
// target: vulkan1.2
// expect: clean
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
struct Pair { float weight; vec3 at; };
layout(scalar, binding = 0) buffer Out { vec3 result[]; };
layout(scalar, binding = 1) buffer Pairs { Pair pairs[]; };
layout(scalar, binding = 2) uniform Scale { float by; vec3 each; } scale;
void main() {
    uint i = gl_LocalInvocationIndex;
    pairs[i].at = vec3(i) * scale.each;
    result[i] = pairs[i].at * pairs[i].weight;
}
