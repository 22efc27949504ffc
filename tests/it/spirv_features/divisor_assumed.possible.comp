// check: --workgroups 1 --buffer Out=zeros:64
// expect: HR001 possible Out lines 8
// says: --override WIDTH=N
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const int WIDTH = 0;
layout(std430, binding = 0) buffer Out { int result[]; };
void main() { result[int(gl_GlobalInvocationID.x) / WIDTH] = 1; }
