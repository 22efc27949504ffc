// check: --workgroups 1 --override 3=32 --buffer Results=zeros:32
#version 450
layout(local_size_x_id = 3) in;
layout(constant_id = 3) const uint SIZE = 64;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared uint tile[SIZE * 2];
void main() {
    uint lane = gl_LocalInvocationIndex;
    tile[lane + gl_WorkGroupSize.x] = lane;
    barrier();
    results[lane] = tile[SIZE * 2 - 1 - lane];
}
