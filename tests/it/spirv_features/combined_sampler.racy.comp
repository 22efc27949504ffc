// check: --workgroups 1 --buffer source=random:8x8 --buffer result=zeros:8x8
// expect: HR001 certain result lines 9
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(rgba8, binding = 1) writeonly uniform image2D result;
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    imageStore(result, p / 2, texelFetch(source, p, 0));
}
