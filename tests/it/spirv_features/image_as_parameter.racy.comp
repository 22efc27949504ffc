// check: --workgroups 1 --buffer Which.k=1
// expect: HR001 certain images[1] lines 9
// not optimized: spirv-opt rejects the format of the parameter
#version 450
layout(local_size_x = 64) in;
layout(r32ui, binding = 0) uniform uimage2D images[2];
layout(binding = 1) uniform Which { uint k; };
void put(writeonly uimage2D to, uint at) {
    imageStore(to, ivec2(at, 0), uvec4(gl_LocalInvocationIndex));
}
void main() {
    put(images[k], gl_LocalInvocationIndex / 2u);
    put(images[0], gl_LocalInvocationIndex);
}
