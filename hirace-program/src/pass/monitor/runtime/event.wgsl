// The local index of the first invocation of this subgroup, or 0 if subgroups are not distinguished.
var<private> hirace_subgroup: u32;
// The number of subgroup barriers that this invocation has passed.
var<private> hirace_subgroup_epoch: u32;
// The number of workgroup barriers that this invocation has passed.
var<private> hirace_barrier_count: u32;
// The site of the last of these barriers, plus 1. It is 0 before the first barrier.
var<private> hirace_last_barrier: u32;

// Records that the workgroup has passed the barrier at `site`.
fn hirace_record_barrier(site: u32) {
    hirace_barrier_count += 1u;
    hirace_last_barrier = site + 1u;
}

// Records an access to the granule `index`. `epoch` is the number of barriers passed that order the memory.
fn hirace_record_event(index: u32, site: u32, epoch: u32) {
    let entry = atomicAdd(&hirace_shadow[HIRACE_REPORTS], 1u);
    if entry < hirace_log_entries {
        let at = HIRACE_HEADER + entry * HIRACE_EVENT_SIZE;
        atomicStore(&hirace_shadow[at], site);
        atomicStore(&hirace_shadow[at + 1u], hirace_workgroup);
        atomicStore(&hirace_shadow[at + 2u], hirace_local_index);
        atomicStore(&hirace_shadow[at + 3u], hirace_subgroup);
        atomicStore(&hirace_shadow[at + 4u], index);
        atomicStore(&hirace_shadow[at + 5u], epoch);
        atomicStore(&hirace_shadow[at + 6u], hirace_subgroup_epoch);
        atomicStore(&hirace_shadow[at + 7u], hirace_barrier_count);
        atomicStore(&hirace_shadow[at + 8u], hirace_last_barrier);
    }
}
