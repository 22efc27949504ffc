// Checks an access to `count` granules of LAYOUT memory from `first` on, whose shadow words
// start at `base`.
fn hirace_check_NAME(base: u32, first: u32, count: u32, action: u32, site: u32, stamp: WORD) {
    if (u32(stamp) & 31u) != 0u {
        atomicOr(&hirace_shadow[HIRACE_STOPPED], HIRACE_STOPPED_LAYOUT);
        return;
    }
    for (var i = 0u; i < count; i++) {
        hirace_turns += 1u; // tally
        let index = first + i;
        if hirace_NAME_update(base + index, stamp, action) {
            hirace_report(index, site);
        }
    }
}
