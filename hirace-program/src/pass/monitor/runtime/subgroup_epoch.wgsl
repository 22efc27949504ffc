// A subgroup barrier was passed. Counted once for each class, which does no harm.
fn hirace_CLASS_subgroup_barrier() {
    hirace_subgroup_epoch += 1u;
}
