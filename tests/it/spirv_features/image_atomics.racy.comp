// check: --workgroups 1 --buffer counts=zeros:4x1
// expect: HR001 certain counts lines 8,9
#version 450
layout(local_size_x = 64) in;
layout(r32ui, binding = 0) uniform uimage2D counts;
void main() {
    int l = int(gl_LocalInvocationIndex);
    imageAtomicAdd(counts, ivec2(l % 4, 0), 1u);
    if (l < 4) imageStore(counts, ivec2(3 - l, 0), uvec4(0u));
}
