// check: --workgroups 1 --buffer Results=zeros:8
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(r32ui, binding = 1) uniform uimage2D image;
void main() {
    int lane = int(gl_LocalInvocationIndex);
    imageStore(image, ivec2(lane, 0), uvec4(1));
    memoryBarrierImage();
    barrier();
    results[lane] = imageLoad(image, ivec2(7 - lane, 0)).x;
}
