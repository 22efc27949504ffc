// check: --workgroups 2 --buffer Input=iota:128 --buffer Sums=zeros:2
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint values[]; };
layout(std430, binding = 1) buffer Sums { uint sums[]; };
shared uint tile[64];
void main() {
    uint lane = gl_LocalInvocationID.x;
    tile[lane] = values[gl_GlobalInvocationID.x];
    barrier();
    for (uint stride = 32; stride > 0; stride >>= 1) {
        if (lane < stride) {
            tile[lane] += tile[lane + stride];
//          ^^^^^^^^^^ race: write/read on tile[..]
//                        ^^^^^^^^^^^^^^^^^^^ race: read/write on tile[..]
        }
    }
    if (lane == 0) {
        sums[gl_WorkGroupID.x] = tile[0];
    }
}
