// The first of the words that say for each slot whether a workgroup holds it.
override hirace_held_slots_start: u32;

// Acquires a free slot and returns its number, counted from 1. The workgroups that hold slots are running, so they will release
// them. If none becomes free in time, sets a flag and returns 0.
fn hirace_find_free_slot() -> u32 {
    for (var round = 0u; round < 4096u; round++) {
        for (var i = 0u; i < 1024u; i++) {
            hirace_iterations += 1u; // tally
            let slot = (hirace_workgroup + i) % max(hirace_slot_count, 1u);
            if atomicExchange(&hirace_shadow[hirace_held_slots_start + slot], 1u) == 0u {
                return slot + 1u;
            }
        }
    }
    atomicOr(&hirace_shadow[HIRACE_FLAGS], HIRACE_NO_FREE_SLOT);
    return 0u;
}

// Acquires a slot for the workgroup and clears it. The barriers order the accesses of the previous holder before those of this
// workgroup.
fn hirace_acquire_slot(local_index: u32, workgroup_size: u32) {
    if hirace_slot_count != 0u && local_index == 0u {
        atomicStore(&hirace_shadow[hirace_assigned_slots_start + hirace_workgroup], hirace_find_free_slot());
    }
    storageBarrier();
    hirace_slot = hirace_assigned_slot();
CLEAR    storageBarrier();
}

// Releases the slot when all invocations of the workgroup have ended.
fn hirace_release_slot() {
    storageBarrier();
    if hirace_slot != HIRACE_NONE && hirace_local_index == 0u {
        atomicStore(&hirace_shadow[hirace_held_slots_start + hirace_slot], 0u);
    }
}
