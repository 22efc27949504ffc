// Advances the subgroup clock of CLASS memory after a subgroup barrier that orders this memory.
fn hirace_CLASS_subgroup_barrier() {
    let before = hirace_CLASS_stamp;
    let clock = hirace_LAYOUT_subgroup_clock;
    let is_swept = hirace_CLASS_swept != 0u;
    hirace_CLASS_stamp = hirace_LAYOUT_advance(before, clock, HIRACE_STOPPED_SUBGROUP_CLOCK, is_swept);
    if is_swept && hirace_LAYOUT_halves_differ(before, hirace_CLASS_stamp, clock) {
        let owner = hirace_LAYOUT_workgroup_id | hirace_LAYOUT_subgroup_id;
        hirace_CLASS_sweep(clock, owner, hirace_lane, hirace_subgroup_size);
    }
}
