// check: --workgroups 1
// target: vulkan1.2
// expect: clean
#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture2D textures[3];
layout(std430, binding = 1) buffer Out { float result[64]; };
shared float tile[64];
float mirrored(texture2D from, uint l) {
    tile[l] = texelFetch(from, ivec2(l, 0), 0).x;
    barrier();
    return tile[63u - l];
}
void main() {
    uint l = gl_LocalInvocationIndex;
    result[l] = mirrored(textures[nonuniformEXT(l % 3u)], l);
}
