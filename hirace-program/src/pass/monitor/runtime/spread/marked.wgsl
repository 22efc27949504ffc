fn hirace_NAME_marked(at: u32) -> bool {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { return hirace_PART_marked(offset); }
    }
}
