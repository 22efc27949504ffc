// Checks an access to `count` granules of LAYOUT memory from `first` on, whose shadow words
// start at `base` of ARRAY.
fn hirace_check_NAME(base: u32, first: u32, count: u32, action: u32, site: u32, stamp: u32) {
    if (stamp & 31u) != 0u {
        atomicOr(&hirace_shadow[HIRACE_STOPPED], HIRACE_STOPPED_LAYOUT);
        return;
    }
    for (var i = 0u; i < count; i++) {
        hirace_turns += 1u; // tally
        let index = first + i;
        var old = atomicLoad(&ARRAY[base + index]);
        loop {
            hirace_turns += 1u; // tally
            let changed = hirace_LAYOUT_next(old, stamp, action);
            if changed == old {
                break;
            }
            let exchange = atomicCompareExchangeWeak(&ARRAY[base + index], old, changed);
            if exchange.exchanged {
                if (changed & 31u) == HIRACE_RACE {
                    hirace_report(index, site);
                }
                break;
            }
            old = exchange.old_value;
        }
    }
}
