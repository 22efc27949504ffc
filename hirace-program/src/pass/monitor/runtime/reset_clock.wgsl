// Sets the clock of a shadow word of ARRAY to 0 if its value is in another half than that of `stamp`, so that the values of that
// half can be used again. Does not change racy words, or words with other ids than `stamp` in the fields `owner`. The clock of a
// concurrent access is kept, because it is in the same half as that of `stamp`.
fn hirace_NAME_reset_clock(at: u32, stamp: WORD, clock: WORD, owner: WORD) {
    var old = atomicLoad(&ARRAY[at]);
    loop {
        hirace_iterations += 1u; // tally
        let is_old = (old & clock) != WORD(0u) && hirace_LAYOUT_halves_differ(old, stamp, clock);
        if !is_old || hirace_LAYOUT_is_racy(old) || ((old ^ stamp) & owner) != WORD(0u) {
            break;
        }
        let exchange = atomicCompareExchangeWeak(&ARRAY[at], old, old & ~clock);
        if exchange.exchanged {
            break;
        }
        old = exchange.old_value;
    }
}
