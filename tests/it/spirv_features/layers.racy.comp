// check: --workgroups 1 --buffer layers=zeros:8x8x2
// expect: HR001 certain layers lines 8,9
// expect: HR001 certain layers lines 9
#version 450
layout(local_size_x = 8, local_size_y = 8, local_size_z = 2) in;
layout(r32ui, binding = 0) uniform uimage2DArray layers;
void main() {
    imageStore(layers, ivec3(gl_LocalInvocationID), uvec4(1u));
    imageStore(layers, ivec3(gl_LocalInvocationID.xy, 1), uvec4(2u));
}
