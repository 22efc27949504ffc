// Advances the clock of CLASS memory after a barrier that orders this memory. Resets the subgroup clock, because earlier
// subgroup barriers no longer matter.
fn hirace_CLASS_barrier() {
    let subgroup_fields = hirace_LAYOUT_subgroup_clock | WORD(HIRACE_STOPPED_SUBGROUP_CLOCK);
    let before = hirace_CLASS_stamp & ~subgroup_fields;
    let clock = hirace_LAYOUT_clock;
    let is_swept = hirace_CLASS_swept != 0u;
    hirace_CLASS_stamp = hirace_LAYOUT_advance(before, clock, HIRACE_STOPPED_CLOCK, is_swept);
    if is_swept && hirace_LAYOUT_halves_differ(before, hirace_CLASS_stamp, clock) {
        hirace_CLASS_sweep(clock, hirace_LAYOUT_workgroup_id, hirace_local_index, hirace_workgroup_size);
    }
}
