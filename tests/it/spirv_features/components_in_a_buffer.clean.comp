// check: --workgroups 2 --buffer Out=zeros:32
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { vec4 result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    switch (i & 3u) {
        case 0: result[i >> 2].x = 1.0; break;
        case 1: result[i >> 2].y = 2.0; break;
        default: result[i >> 2][i & 3u] = 3.0;
    }
}
