// check: --workgroups 4 --buffer Values=random:256 --buffer Sums=zeros:256 --buffer Count=200
// expect: HR002 certain - lines 18
// expect: HR002 certain - lines 20
// says: move the barrier out of the branch at line 14
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Values { float values[]; };
layout(std430, binding = 1) buffer Sums { float sums[]; };
layout(binding = 2) uniform Count { uint count; };
shared float tile[64];
void main() {
    uint id = gl_GlobalInvocationID.x;
    uint lane = gl_LocalInvocationID.x;
    if (id >= count) { return; }
    float sum = 0.0;
    for (uint base = 0u; base < count; base += 64u) {
        tile[lane] = base + lane < count ? values[base + lane] : 0.0;
        barrier();
        for (uint j = 0u; j < 64u; j++) { sum += tile[j]; }
        barrier();
    }
    sums[id] = sum;
}
