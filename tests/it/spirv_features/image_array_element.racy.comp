// check: --workgroups 1 --buffer Which=1 --buffer images[0]=zeros:8x8 --buffer images[1]=zeros:8x8
// expect: HR001 certain images[1] lines 10
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(r32f, binding = 2) uniform image2D images[2];
layout(binding = 0) uniform Which { uint which; };
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    imageStore(images[0], p, vec4(1.0));
    imageStore(images[which], p / 2, vec4(1.0));
}
