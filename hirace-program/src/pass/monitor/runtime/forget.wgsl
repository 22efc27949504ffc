// Sets the clock of a shadow word of ARRAY to 0 if it is of the half that `stamp` is not of, so that
// that half can be used anew; but not if it is of others than `owner`, or racy. An access of now has this half.
fn hirace_NAME_forget(at: u32, stamp: WORD, clock: WORD, owner: WORD) {
    var old = atomicLoad(&ARRAY[at]);
    loop {
        hirace_turns += 1u; // tally
        let older = (old & clock) != WORD(0u) && hirace_LAYOUT_halves(old, stamp, clock);
        if !older || hirace_LAYOUT_is_racy(old) || ((old ^ stamp) & owner) != WORD(0u) {
            break;
        }
        let exchange = atomicCompareExchangeWeak(&ARRAY[at], old, old & ~clock);
        if exchange.exchanged {
            break;
        }
        old = exchange.old_value;
    }
}
