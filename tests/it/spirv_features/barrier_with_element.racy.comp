// check: --workgroups 1 --buffer Which.k=1
// target: vulkan1.2
// expect: HR001 certain tile lines 14,16
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture2D textures[3];
layout(std430, binding = 1) buffer Out { float result[64]; };
layout(std430, binding = 2) readonly buffer Which { uint k; };
shared float tile[64];
float mirrored(texture2D from, uint l) {
    float own = texelFetch(from, ivec2(l, 0), 0).x;
    barrier();
    tile[l] = own;
    memoryBarrierShared();
    return tile[63u - l];
}
void main() {
    uint l = gl_LocalInvocationIndex;
    result[l] = mirrored(textures[k], l);
}
