// check: --workgroups 1 --buffer Out=zeros:64
// target: vulkan1.2
// expect: clean
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(scalar, binding = 0) buffer Out { vec3 result[]; };
// Elements that one invocation reads and another writes share no bytes.
void main() {
    uint i = gl_LocalInvocationIndex;
    if ((i & 1u) == 0u) { result[i] = vec3(1.0); } else if (result[i].z == 7.0) { result[i] = vec3(2.0); }
}
