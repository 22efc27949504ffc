// A subgroup barrier was passed, which orders CLASS memory too.
fn hirace_CLASS_subgroup_barrier() {
    let before = hirace_CLASS_stamp;
    let clock = hirace_LAYOUT_subgroup_clock;
    let swept = hirace_CLASS_swept != 0u;
    hirace_CLASS_stamp = hirace_LAYOUT_step(before, clock, HIRACE_STOPPED_SUBGROUP, swept);
    if swept && hirace_LAYOUT_halves(before, hirace_CLASS_stamp, clock) {
        let owner = hirace_LAYOUT_workgroup_id | hirace_LAYOUT_subgroup_id;
        hirace_CLASS_sweep(clock, owner, hirace_lane, hirace_lanes);
    }
}
