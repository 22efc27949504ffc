fn hirace_NAME_forget(at: u32, stamp: WORD, clock: WORD, owner: WORD) {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { hirace_PART_forget(offset, stamp, clock, owner); }
    }
}
