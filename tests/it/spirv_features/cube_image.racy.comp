// check: --workgroups 1 --buffer cube=zeros:8x8x6
// expect: HR001 certain cube lines 7
#version 450
layout(local_size_x = 8, local_size_y = 8, local_size_z = 2) in;
layout(rgba8, binding = 0) uniform writeonly imageCube cube;
void main() {
    imageStore(cube, ivec3(gl_LocalInvocationID.xy, 3), vec4(gl_LocalInvocationID.z));
}
