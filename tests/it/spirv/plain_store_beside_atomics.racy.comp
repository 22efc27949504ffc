// check: --workgroups 1 --buffer Tally=zeros
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Tally { uint count; };
void main() {
    if (gl_LocalInvocationIndex == 0)
        count = 0;
//      ^^^^^ race: write/atomic on Tally.count
    else
        atomicAdd(count, 1);
//      ^^^^^^^^^^^^^^^^^^^ race: atomic/write on Tally.count
}
