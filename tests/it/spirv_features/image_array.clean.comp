// check: --workgroups 1
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32f, set = 1, binding = 2) uniform writeonly image2D images[2];
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    imageStore(images[0], p, vec4(1.0));
    imageStore(images[1], p, vec4(2.0));
}
