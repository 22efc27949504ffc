// Updates a shadow word that is in one of several arrays.
fn hirace_NAME_update(at: u32, stamp: WORD, action: u32, read_site: u32, site: u32) -> u32 {
    let offset = at % hirace_binding_words;
    switch at / hirace_binding_words {
        CASE: { return hirace_PART_update(offset, stamp, action, read_site, site); }
    }
}
