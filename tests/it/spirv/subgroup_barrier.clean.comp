// check: --workgroups 1 --buffer Results=zeros:64
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[64];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane] = lane;
    subgroupBarrier();
    results[lane] = tile[lane ^ 1];
}
