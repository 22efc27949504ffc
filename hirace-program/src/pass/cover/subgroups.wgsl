fn hirace_add(at: u32, count: u32) {
    if (atomicAdd(&hirace_counts[at], count) > 4294967295u - count) {
        atomicAdd(&hirace_counts[at + 1u], 1u);
    }
}
fn hirace_count(counter: u32) {
    let before = subgroupExclusiveAdd(1u);
    let all = subgroupAdd(1u);
    if (before == 0u) {
        hirace_add(2u * counter, all);
        hirace_add(2u * (COUNTERS + counter), 1u);
    }
}
fn hirace_left(first: u32, turns: u32) {
    hirace_add(2u * (first + turns), 1u);
}
