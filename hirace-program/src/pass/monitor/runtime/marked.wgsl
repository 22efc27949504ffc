// Whether a word of ARRAY is marked.
fn hirace_NAME_marked(at: u32) -> bool {
    return atomicLoad(&ARRAY[at]) != 0u;
}
