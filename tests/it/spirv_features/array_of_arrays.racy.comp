// check: --workgroups 1 --buffer Which.k=1 --buffer Which.j=2
// expect: HR001 certain rows[1][2] lines 11,12
// not optimized: spirv-opt rejects arrays of arrays of buffers
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Rows { uint values[64]; } rows[2][3];
layout(binding = 1) uniform Which { uint k, j; };
void main() {
    uint l = gl_LocalInvocationIndex;
    rows[0][j].values[l] = 1u;
    rows[k][j].values[l] = 2u;
    rows[1][2].values[63u - l] = 3u;
}
