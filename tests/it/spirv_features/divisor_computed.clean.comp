// check: --workgroups 1 --override WIDTH=4 --override 7=2 --buffer Out=zeros:64
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint WIDTH = 0;
layout(constant_id = 7) const uint DEPTH = 0;
const uint PLANE = WIDTH * DEPTH;
const uint PLANES = 64u / PLANE;
layout(std430, binding = 0) buffer Out { uint result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uvec2 at = uvec2(i) / uvec2(WIDTH, PLANE);
    if (i / (WIDTH * DEPTH) != i / 8u) { result[200000] = 1u; }
    if (PLANES != 8u || at != uvec2(i / 4u, i / 8u)) { result[100000] = 1u; }
    result[i] = i / PLANE;
}
