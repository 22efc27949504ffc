// check: --workgroups 1 --buffer Results=zeros:64
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[64];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane] = lane;
//  ^^^^^^^^^^ race: write/read on tile[..]
    results[lane] = tile[63 - lane];
//                  ^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
