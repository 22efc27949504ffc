// check: --workgroups 1 --buffer Which.k=1 --buffer Which.j=0
// expect: HR001 certain images[0] lines 9
#version 450
layout(local_size_x = 64) in;
layout(r32ui, binding = 0) uniform uimage2D images[2];
layout(binding = 1) uniform Which { uint k, j; };
void main() {
    int l = int(gl_LocalInvocationIndex);
    imageStore(images[j], ivec2(l / 2, 0), imageLoad(images[k], ivec2(l, 0)));
}
