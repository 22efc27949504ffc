// check: --workgroups 1 --buffer data=zeros:64 --buffer Results=zeros:64
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint words[]; } data;
layout(std430, binding = 1) buffer Results { uint results[]; };
void main() {
    uint lane = gl_LocalInvocationIndex;
    data.words[lane] = lane;
    memoryBarrierBuffer();
    barrier();
    results[lane] = data.words[63 - lane];
}
