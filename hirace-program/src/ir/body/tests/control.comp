#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(std140, binding = 1) uniform Sizes { uint n; };
uint early(uint x) {
    if (x == 0u) {
        return 1u;
    }
    return 2u;
}
void main() {
    uint l = gl_LocalInvocationIndex;
    if (l < n && data[l] > 3u) {
        data[l] = early(l);
    } else if (l == 5u || data[l] == 4u) {
        data[l] = 2u;
    } else {
        data[l] += 1u;
    }
    switch (l) {
        case 1u:
        case 2u:
            data[l] = 3u;
            break;
        case 4u:
            data[l] = 4u;
        default:
            data[l] = 5u;
            break;
        case 3u:
            break;
    }
    switch (n) {
        case 1u:
            data[l] = 1u;
            break;
    }
    for (uint i = 0u; i < n; i++) {
        uint j = i;
        while (j > 0u) {
            j -= 1u;
            if (data[j] == 9u) {
                continue;
            }
            data[j] = data[i] > j ? i : data[l];
        }
    }
    do {
        data[l] += 2u;
    } while (data[l] < 20u);
}
