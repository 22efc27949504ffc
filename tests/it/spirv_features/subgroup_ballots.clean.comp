// check: --workgroups 1 --buffer Out=zeros:64
// expect: clean
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID;
    uvec4 odd = subgroupBallot((lane & 1u) == 1u);
    bool right = subgroupBallotFindLSB(odd) == 1u && subgroupBallotFindMSB(odd) == gl_SubgroupSize - 1u;
    right = right && subgroupInverseBallot(odd) == ((lane & 1u) == 1u);
    right = right && subgroupBallotBitExtract(odd, 3u) && !subgroupBallotBitExtract(odd, 2u);
    right = right && subgroupBallotBitCount(odd) == gl_SubgroupSize / 2u;
    right = right && subgroupBallotInclusiveBitCount(odd) == (lane + 1u) / 2u;
    right = right && subgroupBallotExclusiveBitCount(odd) == lane / 2u;
    right = right && subgroupAllEqual(7u) && !subgroupAllEqual(vec2(lane, 1.0));
    if (!right) { result[100000] = 1u; }
    result[i] = i;
}
