// Takes a shadow word of ARRAY through one more access. Whether that made it racy.
fn hirace_NAME_update(at: u32, stamp: WORD, action: u32) -> bool {
    var racy = false;
    var old = atomicLoad(&ARRAY[at]);
    loop {
        hirace_turns += 1u; // tally
        let changed = hirace_LAYOUT_next(old, stamp, action);
        if changed == old {
            break;
        }
        let exchange = atomicCompareExchangeWeak(&ARRAY[at], old, changed);
        if exchange.exchanged {
            racy = (u32(changed) & 31u) == HIRACE_RACE;
            break;
        }
        old = exchange.old_value;
    }
    return racy;
}
