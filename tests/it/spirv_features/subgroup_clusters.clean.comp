// check: --workgroups 1 --buffer Out=zeros:64
// expect: clean
#version 450
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint first = i & ~3u;
    bool right = subgroupClusteredAdd(i, 4u) == 4u * first + 6u;
    right = right && subgroupClusteredMax(int(i) - 40, 4u) == int(first) + 3 - 40;
    right = right && subgroupClusteredMin(float(i), 2u) == float(i & ~1u);
    right = right && subgroupClusteredAnd(i, 2u) == (i & ~1u);
    right = right && subgroupClusteredAdd(vec2(i, 1.0), 4u).y == 4.0;
    right = right && subgroupClusteredOr(i % 4u == 2u, 4u) && !subgroupClusteredAnd(i % 4u == 2u, 4u);
    right = right && subgroupAllEqual(i < 100u) && !subgroupAllEqual(i % 2u == 0u);
    // Only active invocations count.
    if ((i & 1u) == 1u) { right = right && subgroupClusteredAdd(1u, 4u) == 2u; }
    if (!right) { result[100000] = 1u; }
    result[i] = i;
}
