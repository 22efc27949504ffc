// check: --workgroups 1 --buffer Which=1 --buffer rows[0]=zeros:64 --buffer rows[1]=zeros:64 --buffer rows[2]=zeros:64
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 2) buffer Rows { uint count; uint values[]; } rows[3];
layout(binding = 0) uniform Which { uint which; };
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < rows[which].values.length()) { rows[which].values[i] = rows[0].values[i] + 1u; }
    atomicAdd(rows[2].count, 1u);
    uint before = atomicAdd(rows[which].count, i);
    rows[2].values[i] = before;
}
