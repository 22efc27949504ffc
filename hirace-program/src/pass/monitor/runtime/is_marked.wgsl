// Returns whether the host has marked a word of ARRAY.
fn hirace_NAME_is_marked(at: u32) -> bool {
    return atomicLoad(&ARRAY[at]) != 0u;
}
