// The linear index of this workgroup.
var<private> hirace_workgroup: u32;
// The number of times that this invocation has visited each barrier.
var<private> hirace_visits: array<u32, BARRIERS>;

// Stores the linear index of this workgroup.
fn hirace_enter_workgroup(workgroup_id: vec3<u32>, num_workgroups: vec3<u32>) {
    hirace_workgroup = workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z);
}

// Counts a visit of a barrier.
fn hirace_visit_barrier(barrier: u32) {
    hirace_visits[barrier] += 1u;
}

// Merges the visits of this invocation into the maximum and the inverted minimum of its workgroup.
fn hirace_record_visits() {
    for (var barrier = 0u; barrier < BARRIERS; barrier += 1u) {
        let at = FIRST_OF_BARRIERS + 2u * (hirace_workgroup * BARRIERS + barrier);
        atomicMax(&hirace_counts[at], hirace_visits[barrier]);
        atomicMax(&hirace_counts[at + 1u], ~hirace_visits[barrier]);
    }
}
