// Makes a word of ARRAY as it is before any access.
fn hirace_NAME_clear(at: u32) {
    atomicStore(&ARRAY[at], WORD(0u));
}
