// Returns whether the host has marked a word that is in one of several arrays.
fn hirace_NAME_is_marked(at: u32) -> bool {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { return hirace_PART_is_marked(offset); }
    }
}
