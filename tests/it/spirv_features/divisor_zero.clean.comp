// check: --workgroups 1 --override WIDTH=0 --buffer Out=zeros:64
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const int WIDTH = 0;
layout(std430, binding = 0) buffer Out { int result[]; };
void main() {
    int i = int(gl_GlobalInvocationID.x);
    result[i] = WIDTH > 0 ? i / WIDTH : i;
}
