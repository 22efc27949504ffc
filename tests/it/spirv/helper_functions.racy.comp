// check: --workgroups 1 --buffer Results=zeros:64
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[64];
void put(uint at, uint value) {
    tile[at] = value;
//  ^^^^^^^^ race: write/read on tile[..]
}
uint take() {
    return tile[63 - gl_LocalInvocationIndex];
//         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..]
}
void main() {
    put(gl_LocalInvocationIndex, 1);
    results[gl_LocalInvocationIndex] = take();
}
