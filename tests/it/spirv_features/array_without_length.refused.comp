// check: --workgroups 1
// target: vulkan1.2
// expect: error the array of buffers or textures `textures` has no length
#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;
layout(binding = 0) uniform texture2D textures[];
layout(std430, binding = 1) buffer Out { float result[]; };
void main() { result[gl_LocalInvocationIndex] = texelFetch(textures[gl_WorkGroupID.x], ivec2(0), 0).x; }
