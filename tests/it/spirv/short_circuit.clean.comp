// check: --workgroups 1 --buffer Results=zeros:64
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[64];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane] = lane;
    barrier();
    uint found = 0u;
    // The right operands would be out of bounds.
    if (lane > 0u && tile[lane - 1u] > 5u) found = 1u;
    if (lane == 63u || tile[lane + 1u] > 7u) found += 2u;
    results[lane] = found;
}
