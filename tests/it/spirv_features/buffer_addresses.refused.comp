// check: --workgroups 1
// target: vulkan1.2
// expect: error uses physical addresses of buffers
// says: `Numbers` is behind such an address
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Numbers { uint values[]; };
layout(push_constant) uniform Pointers { Numbers numbers; };
void main() { numbers.values[gl_LocalInvocationIndex] = 1u; }
