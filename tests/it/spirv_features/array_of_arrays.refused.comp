// check: --workgroups 1
// expect: error the array of buffers or textures `images` has more than one dimension
#version 450
layout(local_size_x = 64) in;
layout(r32f, binding = 0) uniform image2D images[2][2];
void main() { imageStore(images[0][1], ivec2(gl_LocalInvocationIndex, 0), vec4(1.0)); }
