// check: --workgroups 1
// expect: error does not support this atomic on a texture
// says: "line": 8
#version 450
layout(local_size_x = 64) in;
layout(r32ui, binding = 0) uniform uimage2D counts;
void main() {
    imageAtomicExchange(counts, ivec2(0, 0), 1u);
}
