// Counts a subgroup barrier that orders CLASS memory. A barrier that orders several kinds of memory counts several times, which
// is harmless because it does so for every invocation.
fn hirace_CLASS_subgroup_barrier() {
    hirace_subgroup_epoch += 1u;
}
