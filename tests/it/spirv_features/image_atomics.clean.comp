// check: --workgroups 2 --buffer counts=zeros:4x1 --buffer least[0]=zeros:4x1 --buffer least[1]=zeros:4x1 --buffer Which.k=1
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(r32ui, binding = 0) uniform uimage2D counts;
layout(r32i, binding = 1) uniform iimage2D least[2];
layout(std430, binding = 2) readonly buffer Which { uint k; };
void main() {
    int l = int(gl_LocalInvocationIndex);
    imageAtomicAdd(counts, ivec2(l % 4, 0), 1u);
    imageAtomicOr(counts, ivec2(l % 4, 0), 8u);
    imageAtomicMin(least[1], ivec2(0, 0), l);
    imageAtomicMax(least[k & 1u], ivec2(1, 0), -l);
}
