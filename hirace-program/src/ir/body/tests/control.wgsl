@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
fn early(x: u32) -> u32 {
    if (x == 0u) {
        return 1u;
    }
    return 2u;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    if (l < n && data[l] > 3u || n == 7u) {
        data[l] = early(l);
    } else if (l == 5u) {
    } else {
        data[l] += 1u;
    }
    switch (l) {
        case 1u, 2u: { data[l] = 3u; }
        default: { data[l] = 4u; }
        case 3u: {}
    }
    for (var i = 0u; i < n && data[i] != 0u; i++) {
        var j = i;
        while (j > 0u) {
            j -= 1u;
            if (data[j] == 9u) { continue; }
            data[j] = select(j, i, data[i] > j);
        }
    }
    loop {
        if (data[l] > 8u) { break; }
        data[l] += 2u;
        continuing {
            data[l] += 1u;
            break if data[l] > 20u;
        }
    }
    loop { data[l] += 1u; if (data[l] > 30u) { return; } }
}
