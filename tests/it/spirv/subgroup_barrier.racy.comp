// check: --workgroups 1 --subgroup-size 32 --buffer Results=zeros:64
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[64];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane] = lane;
//  ^^^^^^^^^^ race: write/read on tile[..]
    subgroupBarrier();
    results[lane] = tile[63 - lane];
//                  ^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
