// check: --workgroups 1 --override WIDTH=8 --buffer Out=zeros:64
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const int WIDTH = 0;
layout(std430, binding = 0) buffer Out { int result[]; };
void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i / WIDTH != i >> 3 || i % WIDTH != (i & 7)) { result[100000] = 1; }
    result[i / WIDTH * WIDTH + i % WIDTH] = i;
}
