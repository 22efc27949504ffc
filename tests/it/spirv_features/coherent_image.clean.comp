// check: --workgroups 2,2 --buffer image=zeros:16x16 --buffer other=zeros:16x16
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32f, binding = 0) uniform coherent image2D image;
layout(r32f, binding = 1) uniform volatile restrict image2D other;
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    imageStore(image, p, imageLoad(image, p) + 1.0);
    imageStore(other, p, imageLoad(other, p) + 1.0);
}
