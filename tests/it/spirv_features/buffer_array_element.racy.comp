// check: --workgroups 1 --buffer Which=1 --buffer rows[0]=zeros:64 --buffer rows[1]=zeros:64
// expect: HR001 certain rows[1] lines 9,10
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 2) buffer Rows { uint values[]; } rows[2];
layout(binding = 0) uniform Which { uint which; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint value = rows[which].values[63u - i];
    rows[1].values[i] = value;
}
