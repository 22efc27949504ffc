// check: --workgroups 1 --buffer Which.k=1 --buffer Which.j=2
// expect: clean
// not optimized: spirv-opt rejects arrays of arrays of buffers
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Rows { uint values[64]; } rows[2][3];
layout(std430, binding = 1) readonly buffer Which { uint k, j; };
void main() {
    uint l = gl_LocalInvocationIndex;
    rows[0][2].values[l] = l;
    rows[k][j].values[l] = l;
    rows[1][k].values[l] = l;
}
