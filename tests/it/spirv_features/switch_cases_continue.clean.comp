// check: --workgroups 1 --buffer Data=zeros:8
// expect: clean
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() {
    uint l = gl_LocalInvocationIndex;
    uint x = 0u;
    switch (l) {
        case 1u:
        case 2u:
            x = 3u;
            break;
        case 4u:
            x = 4u;
        default:
            x += 5u;
            break;
        case 3u:
            break;
    }
    // A literal of the default is before other cases.
    switch (l) {
        case 5u:
        default:
            x += 10u;
            break;
        case 6u:
            x += 20u;
        case 7u:
            x += 40u;
            break;
    }
    uint first = l == 3u ? 0u : (l == 1u || l == 2u) ? 3u : l == 4u ? 9u : 5u;
    uint second = l == 6u ? 60u : l == 7u ? 40u : 10u;
    data[x == first + second ? l : 1000u] = x;
}
