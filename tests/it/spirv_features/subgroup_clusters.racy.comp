// check: --workgroups 1 --buffer Out=zeros:64
// expect: HR001 certain Out lines 10
#version 450
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = subgroupClusteredAdd(1u, 4u);
    result[i / sum] = i;
}
