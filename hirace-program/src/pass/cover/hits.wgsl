fn hirace_add(at: u32, count: u32) {
    if (count > 0u) {
        atomicStore(&hirace_counts[at], 1u);
    }
}
