// check: --workgroups 2 --buffer data=zeros:16 --buffer parameters=0
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint words[]; } data;
layout(push_constant) uniform Parameters { uint shift; } parameters;
void main() {
    uint at = gl_GlobalInvocationID.x;
    data.words[at] = at;
    memoryBarrier();
    barrier();
    uint other = data.words[gl_WorkGroupID.x * 8 + 7 - gl_LocalInvocationID.x];
    memoryBarrier();
    barrier();
    if (other == 99 + parameters.shift) {
        data.words[at] = 7;
    }
}
