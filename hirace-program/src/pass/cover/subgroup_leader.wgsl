// The local index of this invocation.
var<private> hirace_local_index: u32;

// Stores the local index of this invocation.
fn hirace_enter_subgroup(local_index: u32) {
    hirace_local_index = local_index;
}

// Returns 1 for the first active invocation of a subgroup, and 0 for all others.
fn hirace_is_leader() -> u32 {
    return u32(subgroupBroadcastFirst(hirace_local_index) == hirace_local_index);
}
