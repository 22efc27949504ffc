// check: --workgroups 2,2 --buffer source=random:16x16 --buffer result=zeros:16x16
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D source;
layout(rgba8, set = 0, binding = 1) writeonly uniform image2D result;
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec2 uv = (vec2(p) + 0.5) / vec2(textureSize(source, 0));
    imageStore(result, p, texelFetch(source, p, 0) + textureLod(source, uv, 0.0) + textureGather(source, uv));
}
