var<private> hirace_subgroup: u32;
var<private> hirace_subgroup_epoch: u32;
var<private> hirace_barriers: u32;
var<private> hirace_last_barrier: u32;

// The workgroup has passed the barrier at `site`.
fn hirace_passed(site: u32) {
    hirace_barriers += 1u;
    hirace_last_barrier = site + 1u;
}

fn hirace_record(index: u32, site: u32, epoch: u32) {
    let entry = atomicAdd(&hirace_shadow[HIRACE_REPORTS], 1u);
    if entry < hirace_log_entries {
        let at = HIRACE_HEADER + entry * HIRACE_EVENT;
        atomicStore(&hirace_shadow[at], site);
        atomicStore(&hirace_shadow[at + 1u], hirace_workgroup);
        atomicStore(&hirace_shadow[at + 2u], hirace_local);
        atomicStore(&hirace_shadow[at + 3u], hirace_subgroup);
        atomicStore(&hirace_shadow[at + 4u], index);
        atomicStore(&hirace_shadow[at + 5u], epoch);
        atomicStore(&hirace_shadow[at + 6u], hirace_subgroup_epoch);
        atomicStore(&hirace_shadow[at + 7u], hirace_barriers);
        atomicStore(&hirace_shadow[at + 8u], hirace_last_barrier);
    }
}
