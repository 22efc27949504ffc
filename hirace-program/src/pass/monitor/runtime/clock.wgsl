// The stamp of LAYOUT memory after one more barrier. A clock that would run out starts anew if the
// words that it is known from are `swept`: from 1, as 0 stands for what is older than they tell. Else it
// stops, and `stopped` is set.
fn hirace_LAYOUT_step(stamp: WORD, clock: WORD, stopped: u32, swept: bool) -> WORD {
    let one = clock & (~clock + WORD(1u));
    if (stamp & clock) != clock {
        return stamp + one;
    }
    if swept && one != clock {
        return (stamp & ~clock) | one;
    }
    return stamp | WORD(stopped);
}

// The values of a clock other than 0 are of two halves, told apart by its highest bit. Whether these
// words are of different ones.
fn hirace_LAYOUT_halves(a: WORD, b: WORD, clock: WORD) -> bool {
    return ((a ^ b) & clock & ~(clock >> 1u)) != WORD(0u);
}
