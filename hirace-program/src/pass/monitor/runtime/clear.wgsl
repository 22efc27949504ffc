// Sets a word of ARRAY to its value before any access.
fn hirace_NAME_clear(at: u32) {
    atomicStore(&ARRAY[at], WORD(0u));
}
