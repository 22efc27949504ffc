// Entry points that receive ids in every way, and that end in every way.
struct Ids {
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(global_invocation_id) global: vec3<u32>,
}

struct Count {
    @builtin(num_workgroups) count: vec3<u32>,
}

override LENGTH: u32 = 64u;

@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
@group(0) @binding(1) var<uniform> limit: u32;
var<workgroup> shared_words: array<u32, LENGTH>;

@compute @workgroup_size(1)
fn without_ids() {
    atomicAdd(&out[0], 1u);
}

@compute @workgroup_size(8, 2, 2)
fn in_arguments(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(global_invocation_id) global: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    shared_words[lane] = global.x + local.y;
    workgroupBarrier();
    atomicAdd(&out[group.x + count.x * group.y], shared_words[31u - lane]);
}

@compute @workgroup_size(LENGTH)
fn in_structures(ids: Ids, @builtin(local_invocation_id) local: vec3<u32>, count: Count) {
    atomicAdd(&out[ids.global.x], ids.group.x + ids.lane + local.x + count.count.y);
}

@compute @workgroup_size(16)
fn returns_from_loops(@builtin(global_invocation_id) global: vec3<u32>) {
    if (global.x >= limit) {
        return;
    }
    for (var i = 0u; i < 4u; i += 1u) {
        loop {
            if (found(global.x, i)) {
                return;
            }
            break;
        }
        switch i {
            case 2u: { return; }
            default: {}
        }
    }
    atomicAdd(&out[global.x], 1u);
}

fn found(id: u32, i: u32) -> bool {
    if ((id + i) % 5u == 0u) {
        return true;
    }
    atomicAdd(&out[id], 2u);
    return false;
}

// Values that depend only on the workgroup are uniform within it.
@compute @workgroup_size(4)
fn barriers_in_uniform_flow(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if (group.x % 2u == 0u) {
        shared_words[lane] = group.x;
        workgroupBarrier();
        atomicAdd(&out[group.x], shared_words[3u - lane]);
    }
}
