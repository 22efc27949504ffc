// How many slots there are.
override hirace_slots: u32;
// The first of the words that hold the slot of each workgroup, counted from 1.
override hirace_slots_of: u32;

// The slot of this workgroup, or HIRACE_UNWATCHED.
fn hirace_given() -> u32 {
    if hirace_slots == 0u {
        return HIRACE_UNWATCHED;
    }
    return atomicLoad(&hirace_shadow[hirace_slots_of + hirace_workgroup]) - 1u;
}
