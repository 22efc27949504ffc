// check: --workgroups 1 --buffer Which.k=1 --buffer Which.j=3
// expect: HR003 certain rows lines 10
// says: index 3 is out of bounds of `rows`, which has 3 elements
// not optimized: spirv-opt rejects arrays of arrays of buffers
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Rows { uint values[64]; } rows[2][3];
layout(binding = 1) uniform Which { uint k, j; };
void main() {
    rows[k][j].values[0] = 2u;
}
