// check: --workgroups 1 --buffer source=random:64 --buffer result=zeros:64
// expect: HR001 certain result lines 8
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform isamplerBuffer source;
layout(r32i, binding = 1) uniform writeonly iimageBuffer result;
void main() {
    imageStore(result, int(gl_LocalInvocationIndex) / 2, texelFetch(source, 0));
}
