// Notes which sites of a word of bits an invocation came to; and which of them another one had come to before.
fn hirace_note(at: u32, came: u32) {
    let all = came & ~atomicLoad(&hirace_shadow[at + HIRACE_BITS]);
    if all != 0u {
        let both = all & atomicOr(&hirace_shadow[at], all);
        if both != 0u {
            atomicOr(&hirace_shadow[at + HIRACE_BITS], both);
        }
    }
}
