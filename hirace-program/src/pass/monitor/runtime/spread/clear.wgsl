// Sets a word that is in one of several arrays to its value before any access.
fn hirace_NAME_clear(at: u32) {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { hirace_PART_clear(offset); }
    }
}
