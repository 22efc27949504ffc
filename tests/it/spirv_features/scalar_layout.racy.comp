// check: --workgroups 1 --buffer Out=zeros:64
// target: vulkan1.2
// expect: HR001 certain Out lines 8
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(scalar, binding = 0) buffer Out { vec3 result[]; };
void main() { result[gl_LocalInvocationIndex / 2u].z = 1.0; }
