// check: --workgroups 1 --buffer Which=1 --buffer result=zeros:8x8
// expect: clean
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DArray layers[3];
layout(binding = 3) uniform Which { uint which; };
layout(rgba8, binding = 2) writeonly uniform image2D result;
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec3 at = vec3(vec2(p) / 8.0, 0.0);
    imageStore(result, p, textureLod(layers[2], at, 0.0) + textureLod(layers[which], at, 0.0));
}
