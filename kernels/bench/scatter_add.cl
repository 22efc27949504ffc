// The same kernel as scatter_add.wgsl, for Oclgrind.
uint permuted(uint n) {
    uint a = (n * 2654435761u) & 0x3fffffu;
    uint b = a ^ (a >> 11u);
    return (b * 2246822519u) & 0x3fffffu;
}

__kernel void scatter_add(__global uint *data) {
    uint id = (uint)get_global_id(0);
    for (uint i = 0u; i < 64u; i++) {
        data[permuted(id * 64u + i)] += i;
    }
}
