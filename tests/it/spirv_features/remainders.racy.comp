// check: --workgroups 1 --buffer Out=zeros:64
// expect: HR001 certain Out lines 9
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { int result[]; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    ivec2 at = ivec2(i - 32) % ivec2(32, 7);
    result[at.x] = i;
}
