fn hirace_count(counter: u32) {
    atomicStore(&hirace_counts[2u * counter], 1u);
}
