// Sweeps one of `parts` parts of `count` shadow words from `first` on.
fn hirace_sweep_NAME(
    first: u32, count: u32, part: u32, parts: u32, stamp: WORD, clock: WORD, owner: WORD,
) {
    for (var i = part; i < count; i += parts) {
        hirace_turns += 1u; // tally
        hirace_NAME_forget(first + i, stamp, clock, owner);
    }
}
