// The same kernel as gather.wgsl, for Oclgrind.
__kernel void gather(__global const uint *input, __global uint *output) {
    uint id = (uint)get_global_id(0);
    uint sum = 0u;
    uint at = id;
    for (uint i = 0u; i < 64u; i++) {
        at = at * 1664525u + 1013904223u;
        sum += input[at >> 16u];
    }
    output[id] = sum;
}
