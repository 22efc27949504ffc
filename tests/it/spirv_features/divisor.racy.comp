// check: --workgroups 1 --override WIDTH=8 --buffer Out=zeros:64
// expect: HR001 certain Out lines 7
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const int WIDTH = 0;
layout(std430, binding = 0) buffer Out { int result[]; };
void main() { result[int(gl_GlobalInvocationID.x) / WIDTH] = 1; }
