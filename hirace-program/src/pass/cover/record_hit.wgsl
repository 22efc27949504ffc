// Records in the counter at `at` only whether its code ran.
fn hirace_add_count(at: u32, count: u32) {
    if (count > 0u) {
        atomicStore(&hirace_counts[at], 1u);
    }
}
