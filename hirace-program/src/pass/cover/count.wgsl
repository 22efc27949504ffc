fn hirace_count(counter: u32) {
    if (atomicAdd(&hirace_counts[2u * counter], 1u) == 4294967295u) {
        atomicAdd(&hirace_counts[2u * counter + 1u], 1u);
    }
}
