// check: --workgroups 1 --buffer In=-7,7,-7,7,-6,6,-2147483648,2147483647 --buffer By=3,3,-3,-3,3,-3,2147483647,-2147483647 --buffer Out=zeros:64
// expect: clean
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer In { ivec4 dividends[2]; };
layout(std430, binding = 1) readonly buffer By { ivec4 divisors[2]; };
layout(std430, binding = 2) buffer Out { int result[]; };
void main() {
    ivec4 first = dividends[0] % divisors[0];
    ivec4 second = dividends[1] % divisors[1];
    if (first != ivec4(2, 1, -1, -2)) { result[100000] = 1; }
    if (second.xy != ivec2(0) || second.z != 2147483646 || second.w != 0) { result[200000] = 1; }
    if (dividends[0].x % divisors[0].x != 2) { result[300000] = 1; }
    result[0] = 1;
}
