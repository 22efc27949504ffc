// Who this invocation is and how many barriers that order CLASS memory it has passed.
var<private> hirace_CLASS_stamp: u32;

// A barrier of this class was passed: subgroup barriers before it no longer matter.
fn hirace_CLASS_barrier() {
    let stamp = hirace_CLASS_stamp & ~(hirace_LAYOUT_subgroup_clock | HIRACE_STOPPED_SUBGROUP);
    hirace_CLASS_stamp = hirace_step(stamp, hirace_LAYOUT_clock, HIRACE_STOPPED_CLOCK);
}
