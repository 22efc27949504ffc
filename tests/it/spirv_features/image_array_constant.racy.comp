// check: --workgroups 1
// expect: HR001 certain images[2] lines 8,9
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32f, binding = 2) uniform image2D images[3];
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec4 value = imageLoad(images[2], p.yx);
    imageStore(images[2], p, value);
}
