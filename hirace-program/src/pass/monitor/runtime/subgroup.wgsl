// A subgroup barrier was passed, which orders CLASS memory too.
fn hirace_CLASS_subgroup_barrier() {
    hirace_CLASS_stamp =
        hirace_step(hirace_CLASS_stamp, hirace_LAYOUT_subgroup_clock, HIRACE_STOPPED_SUBGROUP);
}
