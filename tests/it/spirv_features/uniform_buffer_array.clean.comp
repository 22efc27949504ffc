// check: --workgroups 1 --buffer scales[0]=3 --buffer scales[1]=4 --buffer Which=1 --buffer Out=zeros:64
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(std140, binding = 2) uniform Scales { uint by; } scales[2];
layout(binding = 0) uniform Which { uint which; };
layout(std430, binding = 1) buffer Out { uint result[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    if (scales[0].by != 3u || scales[which].by != 4u) { result[100000] = 1u; }
    result[i] = i;
}
