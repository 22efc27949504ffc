// A shadow word: five bits of state, then the stamp of the last access: the clocks and the ids of
// who did it, in fields given by masks. The state bits of a stamp are zero, except that they say
// which clock ran out. In a racy word, which stays as it is, the site stands instead of a stamp.

// Logs a word that turned racy.
fn hirace_report(index: u32, site: u32) {
    let entry = atomicAdd(&hirace_shadow[HIRACE_REPORTS], 1u);
    if entry < hirace_log_entries {
        let at = HIRACE_HEADER + entry * HIRACE_ENTRY;
        atomicStore(&hirace_shadow[at], site);
        atomicStore(&hirace_shadow[at + 1u], hirace_workgroup);
        atomicStore(&hirace_shadow[at + 2u], index);
    }
}

// Notes that something was not judged.
fn hirace_stop(flag: u32) {
    atomicOr(&hirace_shadow[HIRACE_STOPPED], flag); // at once
    hirace_flags |= flag; // late
}

// Of the states that an access of one of four kinds leaves as they are, those for this one.
fn hirace_of_action(action: u32, read: u32, write: u32, scoped: u32, atomic: u32) -> u32 {
    let plain = select(read, write, action == HIRACE_WRITE);
    return select(plain, select(atomic, scoped, action == HIRACE_SCOPED), action >= HIRACE_SCOPED);
}
