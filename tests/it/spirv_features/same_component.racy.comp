// check: --workgroups 1 --buffer Out=zeros:64
// expect: HR001 certain tile lines 9
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { float result[]; };
shared vec4 tile[8];
void main() {
    uint i = gl_LocalInvocationIndex;
    tile[i >> 3][i & 3u] = float(i);
    barrier();
    result[i] = tile[i & 7u].x;
}
