// check: --workgroups 1
// target: vulkan1.2
// expect: error the array of buffers or textures `rows` has no length
// says: declare it with the number of elements that the host binds: `rows[4]`
// says: "line": 12
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Rows { uint values[64]; } rows[];
void main() {
    uint l = gl_LocalInvocationIndex;
    rows[nonuniformEXT(l % 3u)].values[l] = 1u;
}
