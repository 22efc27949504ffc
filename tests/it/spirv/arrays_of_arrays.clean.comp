// check: --workgroups 1 --buffer Results=zeros:64
#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[2][64];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[0][lane] = lane;
    tile[1][lane] = lane + 1u;
    barrier();
    results[lane] = tile[0][63u - lane] + tile[1][63u - lane];
}
