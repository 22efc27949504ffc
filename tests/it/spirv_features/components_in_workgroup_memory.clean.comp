// check: --workgroups 1 --buffer Out=zeros:64
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { float result[]; };
shared vec4 tile[16];
void main() {
    uint i = gl_LocalInvocationIndex;
    tile[i >> 2][i & 3u] = float(i);
    barrier();
    result[i] = tile[i & 15u].x;
}
