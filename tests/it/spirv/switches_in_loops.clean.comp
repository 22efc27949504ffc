// check: --workgroups 1 --buffer Results=zeros:64
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
// Each exit here leaves what it leaves in the source: a loop within a switch, the switch, or one iteration of the loop around it.
uint steps(uint x) {
    uint n = 0u;
    while (x < 100u && n < 1000u) {
        n++;
        switch (x % 4u) {
            case 0u:
                for (uint i = 0u; i < 9u; i++) {
                    x++;
                    if (i == x % 7u) { break; }
                }
                break;
            case 1u:
                x += 5u;
                if (x % 2u == 0u) { continue; }
                x++;
            case 2u:
                x += 3u;
                break;
            default:
                x++;
        }
        x += n % 2u;
    }
    return n;
}
void main() {
    uint lane = gl_LocalInvocationIndex;
    // Out of bounds if a loop does not end where it should.
    results[steps(lane) < 100u ? lane : 64u + lane] = lane;
}
