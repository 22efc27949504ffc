// Resets the clock of a shadow word that is in one of several arrays.
fn hirace_NAME_reset_clock(at: u32, stamp: WORD, clock: WORD, owner: WORD) {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { hirace_PART_reset_clock(offset, stamp, clock, owner); }
    }
}
