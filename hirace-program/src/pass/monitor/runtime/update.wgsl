// Takes a shadow word of ARRAY through one more access, and before it through a read at `before`, if that is another site.
// Gives the one that made it racy, if that did; the word says so itself then.
fn hirace_NAME_update(at: u32, stamp: WORD, action: u32, before: u32, site: u32) -> u32 {
    var racy = HIRACE_UNWATCHED;
    var old = atomicLoad(&ARRAY[at]);
    // A loop that is passed over is a turn where both sides of a branch run.
    hirace_turns += 1u; // tally
    if !hirace_LAYOUT_keeps(old, stamp, action) {
        if (u32(stamp) & 31u) != 0u { // clocks
            hirace_stop(HIRACE_STOPPED_LAYOUT); // clocks
            return HIRACE_UNWATCHED; // clocks
        } // clocks
        loop {
            var changed = hirace_LAYOUT_next(old, stamp, action);
            var cause = HIRACE_UNWATCHED;
            if hirace_LAYOUT_is_racy(changed) {
                cause = site;
                if before != site && hirace_LAYOUT_is_racy(hirace_LAYOUT_next(old, stamp, HIRACE_READ)) {
                    cause = before;
                }
                changed = WORD(HIRACE_RACE) | (WORD(cause) << 5u);
            }
            let exchange = atomicCompareExchangeWeak(&ARRAY[at], old, changed);
            if exchange.exchanged {
                racy = cause;
                break;
            }
            hirace_turns += 1u; // tally
            old = exchange.old_value;
            if hirace_LAYOUT_keeps(old, stamp, action) {
                break;
            }
        }
    }
    return racy;
}
