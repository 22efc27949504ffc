// check: --workgroups 2 --buffer Tally=zeros
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Tally { uint count; };
void main() {
    count += 1;
//  ^^^^^ race: read/write on Tally.count
//  ^^^^^ race: write/read on Tally.count
}
