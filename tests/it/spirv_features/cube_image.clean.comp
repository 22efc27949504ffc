// check: --workgroups 1 --buffer cube=zeros:8x8x6
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba8, binding = 0) uniform writeonly imageCube cube;
void main() {
    for (int face = 0; face < 6; face++) {
        imageStore(cube, ivec3(gl_LocalInvocationID.xy, face), vec4(1.0));
    }
}
