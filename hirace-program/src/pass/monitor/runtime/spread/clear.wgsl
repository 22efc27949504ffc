fn hirace_NAME_clear(at: u32) {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { hirace_PART_clear(offset); }
    }
}
