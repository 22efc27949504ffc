// Sweeps one of `parts` equal parts of `count` shadow words, starting at `first`: resets the clocks of the half of values that
// will be used next.
fn hirace_sweep_NAME(
    first: u32, count: u32, part: u32, parts: u32, stamp: WORD, clock: WORD, owner: WORD,
) {
    for (var i = part; i < count; i += parts) {
        hirace_iterations += 1u; // tally
        hirace_NAME_reset_clock(first + i, stamp, clock, owner);
    }
}
