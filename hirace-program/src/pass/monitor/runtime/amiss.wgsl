// An index that is about to be clamped to `last`.
fn hirace_index(index: u32, last: u32, kind: u32, site: u32) {
    if index > last {
        hirace_flags |= HIRACE_AMISS;
    }
}

// A turn of the loop at `site` begins. Whether it has to end, as there were too many.
fn hirace_turn(site: u32) -> bool {
    hirace_turns += 1u;
    if hirace_turns > hirace_most_turns {
        hirace_flags |= HIRACE_AMISS;
    }
    return hirace_turns > hirace_most_turns;
}
