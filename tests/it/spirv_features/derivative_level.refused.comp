// check: --workgroups 1
// expect: error does not support derivatives in compute shaders, which determine the level of detail
// says: give the level of detail, as in `textureLod`
// says: "line": 11
#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 64) in;
layout(derivative_group_linearNV) in;
layout(binding = 0) uniform sampler2D from;
layout(std430, binding = 1) buffer Out { float result[64]; };
void main() { result[gl_LocalInvocationIndex] = texture(from, vec2(0.5)).x; }
