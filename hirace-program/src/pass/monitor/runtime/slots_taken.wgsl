// The first of the words that say of each slot whether it is held.
override hirace_slots_held: u32;

// Takes a free slot, counted from 1. Whoever holds one is running, and will leave it; devices with so many
// workgroups under way that some wait for too long are told from others by a flag.
fn hirace_free_slot() -> u32 {
    for (var round = 0u; round < 4096u; round++) {
        for (var i = 0u; i < 1024u; i++) {
            hirace_turns += 1u; // tally
            let slot = (hirace_workgroup + i) % max(hirace_slots, 1u);
            if atomicExchange(&hirace_shadow[hirace_slots_held + slot], 1u) == 0u {
                return slot + 1u;
            }
        }
    }
    atomicOr(&hirace_shadow[HIRACE_STOPPED], HIRACE_STOPPED_SLOTS);
    return 0u;
}

// Takes a slot for the workgroup, and clears it. The barriers order what the former holder did before.
fn hirace_take(local: u32, size: u32) {
    if hirace_slots != 0u && local == 0u {
        atomicStore(&hirace_shadow[hirace_slots_of + hirace_workgroup], hirace_free_slot());
    }
    storageBarrier();
    hirace_slot = hirace_given();
CLEAR    storageBarrier();
}

// All of the workgroup is done: others may have its slot.
fn hirace_leave() {
    storageBarrier();
    if hirace_slot != HIRACE_UNWATCHED && hirace_local == 0u {
        atomicStore(&hirace_shadow[hirace_slots_held + hirace_slot], 0u);
    }
}
