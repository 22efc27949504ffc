// check: --workgroups 1 --buffer Data=iota:64
// expect: HR002 certain - lines 13
// says: branch at line 11
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() {
    uint l = gl_LocalInvocationIndex;
    uint kind = data[l];
    data[l] = 0u;
    switch (kind) {
        case 1u:
            barrier();
            break;
        default:
            data[l] = 2u;
    }
}
