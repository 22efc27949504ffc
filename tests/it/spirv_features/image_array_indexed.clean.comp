// check: --workgroups 1 --buffer Which=1 --buffer images[0]=zeros:8x8 --buffer images[1]=zeros:8x8 --buffer images[2]=zeros:8x8
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32f, binding = 2) uniform image2D images[3];
layout(binding = 0) uniform Which { uint which; };
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec4 value = imageLoad(images[which], p);
    if (p.x < imageSize(images[which]).x) { imageStore(images[which + 1], p, value); }
}
