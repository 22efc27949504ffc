// Adds `count` to the counter at `at`, whose second word counts the overflows of the first.
fn hirace_add_count(at: u32, count: u32) {
    if (count > 0u && atomicAdd(&hirace_counts[at], count) > 4294967295u - count) {
        atomicAdd(&hirace_counts[at + 1u], 1u);
    }
}
