// check: --workgroups 1
// expect: error a default that continues in a case
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() {
    uint x = 0u;
    switch (gl_LocalInvocationIndex) {
        case 1u:
            x = 1u;
            break;
        default:
            x = 2u;
        case 3u:
            x += 3u;
            break;
    }
    data[gl_LocalInvocationIndex] = x;
}
