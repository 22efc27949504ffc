// check: --workgroups 1 --buffer Which.k=2 --buffer Which.j=1
// target: vulkan1.2
// expect: clean
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture2D textures[3];
layout(binding = 1) uniform sampler samplers[2];
layout(std430, binding = 2) buffer Rows { float values[64]; } rows[2];
layout(std430, binding = 3) readonly buffer Which { uint k, j; };
float sum(texture2D a, texture2D b, uint l) {
    return texelFetch(a, ivec2(l, 0), 0).x + texelFetch(b, ivec2(l, 0), 0).x;
}
void main() {
    uint l = gl_LocalInvocationIndex;
    vec2 at = vec2(0.5);
    rows[j].values[l] = textureLod(sampler2D(textures[k], samplers[j]), at, 0.0).x;
    rows[j].values[l] += sum(textures[k], textures[j], l);
}
