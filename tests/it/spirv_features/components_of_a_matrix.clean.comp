// check: --workgroups 1 --buffer Out=zeros:4
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { mat4 result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    result[i >> 4][(i >> 2) & 3u][i & 3u] = float(i);
}
