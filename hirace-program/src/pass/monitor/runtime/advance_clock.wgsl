// Returns the stamp of LAYOUT memory after one more barrier. A clock that would overflow starts again at 1 if the shadow words
// are swept, because 0 means an older value. Otherwise it stops, and the stamp gets the flag `stopped`.
fn hirace_LAYOUT_advance(stamp: WORD, clock: WORD, stopped: u32, is_swept: bool) -> WORD {
    let one = clock & (~clock + WORD(1u));
    if (stamp & clock) != clock {
        return stamp + one;
    }
    if is_swept && one != clock {
        return (stamp & ~clock) | one;
    }
    return stamp | WORD(stopped);
}

// Returns whether the clocks of two words are in different halves. The highest bit of a clock divides its values into halves.
fn hirace_LAYOUT_halves_differ(a: WORD, b: WORD, clock: WORD) -> bool {
    return ((a ^ b) & clock & ~(clock >> 1u)) != WORD(0u);
}
