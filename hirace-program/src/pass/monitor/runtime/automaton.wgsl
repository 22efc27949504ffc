// A shadow word: five bits of state, then the stamp of the last access: the clocks and the ids of
// who did it, in fields given by masks. The state bits of a stamp are zero, except that they say
// which clock ran out.

// Whether it no longer matters in this state who came last. Most words that all invocations read are
// in such a state.
fn hirace_is_final(state: u32) -> bool {
    return (state == HIRACE_GREAD) | (state == HIRACE_GATOM_G) | (state == HIRACE_RACE);
}

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
