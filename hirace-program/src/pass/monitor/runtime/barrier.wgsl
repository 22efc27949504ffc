// A barrier of this class was passed: subgroup barriers before it no longer matter.
fn hirace_CLASS_barrier() {
    let none = hirace_LAYOUT_subgroup_clock | WORD(HIRACE_STOPPED_SUBGROUP);
    let before = hirace_CLASS_stamp & ~none;
    let clock = hirace_LAYOUT_clock;
    let swept = hirace_CLASS_swept != 0u;
    hirace_CLASS_stamp = hirace_LAYOUT_step(before, clock, HIRACE_STOPPED_CLOCK, swept);
    if swept && hirace_LAYOUT_halves(before, hirace_CLASS_stamp, clock) {
        hirace_CLASS_sweep(clock, hirace_LAYOUT_workgroup_id, hirace_local, hirace_size);
    }
}
