// A histogram of distances, as in Parboil's tpacf: each workgroup counts in memory of its own, one copy for each lane, and
// adds the copies up. The last barrier is missing.
@group(0) @binding(0) var<storage> points: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 8>;
var<workgroup> copies: array<array<u32, 8>, 64>;

@compute @workgroup_size(64)
fn tpacf(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var bin = 0u; bin < 8u; bin++) { copies[lane][bin] = 0u; }
    let own = points[group.x * 64u + lane] % 64u;
    for (var other = 0u; other < 16u; other++) {
        let their = points[other * 16u] % 64u;
        let distance = max(own, their) - min(own, their);
        copies[lane][distance / 8u] += 1u;
    }
    // workgroupBarrier();
    if (lane < 8u) {
        var sum = 0u;
        for (var copy = 0u; copy < 64u; copy++) { sum += copies[copy][lane]; }
        atomicAdd(&bins[lane], sum);
    }
}
