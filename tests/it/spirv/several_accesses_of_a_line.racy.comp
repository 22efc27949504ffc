// check: --workgroups 1 --buffer Results=zeros:64
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[64];
shared uint other[64];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane] = lane; other[lane] = lane;
//  ^^^^^^^^^^ race: write/read on tile[..]
    results[lane] = other[lane] + tile[lane] * tile[63u - lane];
//                                             ^^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
