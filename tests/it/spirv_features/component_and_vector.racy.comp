// check: --workgroups 1 --buffer Out=zeros:64
// expect: HR001 certain tile lines 8,9
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { vec4 result[]; };
shared vec4 tile[64];
void main() {
    tile[gl_LocalInvocationIndex].y = 1.0;
    result[gl_LocalInvocationIndex] = tile[63u - gl_LocalInvocationIndex];
}
