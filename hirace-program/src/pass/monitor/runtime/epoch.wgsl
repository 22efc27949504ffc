// The number of barriers passed that order CLASS memory. It replaces the stamp of modules that detect races.
var<private> hirace_CLASS_stamp: u32;

// Counts a barrier that orders CLASS memory.
fn hirace_CLASS_barrier() {
    hirace_CLASS_stamp += 1u;
}
