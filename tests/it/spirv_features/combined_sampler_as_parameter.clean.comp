// check: --workgroups 1 --buffer first=random:8x8 --buffer second=random:8x8 --buffer result=zeros:8x8
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D first;
layout(binding = 1) uniform sampler2D second;
layout(rgba8, binding = 2) writeonly uniform image2D result;
vec4 mean(sampler2D of, vec2 at, float by) { return textureLod(of, at, 0.0) * by; }
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    imageStore(result, p, mean(first, vec2(p) / 8.0, 0.5) + mean(second, vec2(p) / 8.0, 0.5));
}
