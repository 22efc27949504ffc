// The number of slots.
override hirace_slot_count: u32;
// The first of the words that contain the slot of each workgroup, counted from 1.
override hirace_assigned_slots_start: u32;

// Returns the slot of this workgroup, or HIRACE_NONE if it has none.
fn hirace_assigned_slot() -> u32 {
    if hirace_slot_count == 0u {
        return HIRACE_NONE;
    }
    return atomicLoad(&hirace_shadow[hirace_assigned_slots_start + hirace_workgroup]) - 1u;
}
