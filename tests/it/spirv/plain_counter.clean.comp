// check: --workgroups 2 --buffer Tally=zeros
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Tally { uint count; };
void main() {
    atomicAdd(count, 1);
}
