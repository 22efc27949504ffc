// check: --workgroups 1
// expect: error does not support derivatives in compute shaders
// says: "line": 9
#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(derivative_group_quadsNV) in;
layout(std430, binding = 0) buffer Out { float result[64]; };
void main() { result[gl_LocalInvocationIndex] = dFdx(float(gl_LocalInvocationIndex)); }
