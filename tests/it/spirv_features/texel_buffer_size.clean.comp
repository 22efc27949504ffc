// check: --workgroups 2 --buffer source=random:100 --buffer result=zeros:100
// expect: clean
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerBuffer source;
layout(rgba32f, binding = 1) uniform imageBuffer result;
void main() {
    int i = int(gl_GlobalInvocationID.x);
    if (i < textureSize(source) && i < imageSize(result)) {
        imageStore(result, i, imageLoad(result, i) + texelFetch(source, i));
    }
}
