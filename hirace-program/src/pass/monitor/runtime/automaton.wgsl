// A shadow word contains five bits of state and the stamp of the last access. A stamp contains the ids of an invocation and its
// clocks, in fields that are given by masks. The state bits of a stamp are zero, or they say which of its clocks have stopped.
// A racy word does not change any more: it contains the site of the race instead of a stamp.

// Logs a granule that became racy.
fn hirace_report(index: u32, site: u32) {
    let entry = atomicAdd(&hirace_shadow[HIRACE_REPORTS], 1u);
    if entry < hirace_log_entries {
        let at = HIRACE_HEADER + entry * HIRACE_ENTRY_SIZE;
        atomicStore(&hirace_shadow[at], site);
        atomicStore(&hirace_shadow[at + 1u], hirace_workgroup);
        atomicStore(&hirace_shadow[at + 2u], index);
    }
}

// Records that an access is not checked. The flag gives the reason.
fn hirace_record_unchecked(flag: u32) {
    atomicOr(&hirace_shadow[HIRACE_FLAGS], flag); // immediate
    hirace_flags |= flag; // deferred
}

// Returns the one of these four sets of states that belongs to the action.
fn hirace_select_by_action(action: u32, read: u32, write: u32, scoped: u32, atomic: u32) -> u32 {
    let plain = select(read, write, action == HIRACE_WRITE);
    return select(plain, select(atomic, scoped, action == HIRACE_SCOPED), action >= HIRACE_SCOPED);
}
