// check: --workgroups 1
// expect: error the result of an atomic on a texture
// says: ignore the result, or use an array in a storage buffer
// says: "line": 10
#version 450
layout(local_size_x = 64) in;
layout(r32ui, binding = 0) uniform uimage2D counts;
layout(std430, binding = 1) buffer Out { uint result[64]; };
void main() {
    uint slot = imageAtomicAdd(counts, ivec2(0, 0), 1u);
    result[slot] = 1u;
}
