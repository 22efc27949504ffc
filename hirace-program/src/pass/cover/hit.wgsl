fn hirace_count(counter: u32) {
    atomicStore(&hirace_counts[2u * counter], 1u);
}
fn hirace_left(first: u32, turns: u32) {
    hirace_count(first + turns);
}
