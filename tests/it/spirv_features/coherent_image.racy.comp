// check: --workgroups 1 --buffer image=random:8x8
// expect: HR001 certain image lines 10,11
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32f, binding = 0) uniform coherent image2D image;
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    ivec2 from = ivec2((p.x + 1) & 7, p.y);

    vec4 value = imageLoad(image, from);
    imageStore(image, p, value);
}
