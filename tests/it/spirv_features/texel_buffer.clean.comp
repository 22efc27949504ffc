// check: --workgroups 1
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform usamplerBuffer source;
layout(r32ui, binding = 1) uniform writeonly uimageBuffer result;
void main() { int i = int(gl_GlobalInvocationID.x); imageStore(result, i, texelFetch(source, i)); }
