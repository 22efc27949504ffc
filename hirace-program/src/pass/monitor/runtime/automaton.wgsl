// A shadow word: five bits of state, then the stamp of the last access: the clocks and the ids of
// who did it, in fields given by masks. The state bits of a stamp are zero, except that they say
// which clock ran out.

// The word after one more access.
fn hirace_next(old: u32, stamp: u32, action: u32, sync: u32, relation: u32) -> u32 {
    let state = old & 31u;
    let row = hirace_table(state * 12u + action * 3u + sync);
    let next = (row >> (relation * 8u)) & 31u;
    // In these states it no longer matters who came last, and most words that all invocations
    // read are in one of them.
    let last = (state == HIRACE_GREAD) | (state == HIRACE_GATOM_G) | (state == HIRACE_RACE);
    return select(stamp | next, old, (next == state) & last);
}

// The field of `mask` holding `value`.
fn hirace_field(value: u32, mask: u32) -> u32 {
    return (value * (mask & (~mask + 1u))) & mask;
}

// The stamp after one more barrier. A clock that would run out stops, and `stopped` is set.
fn hirace_step(stamp: u32, clock: u32, stopped: u32) -> u32 {
    if (stamp & clock) == clock {
        return stamp | stopped;
    }
    return stamp + (clock & (~clock + 1u));
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
