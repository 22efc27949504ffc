// The field of `mask` holding `value`, in a shadow word of LAYOUT memory.
fn hirace_LAYOUT_field(value: u32, mask: WORD) -> WORD {
    return (WORD(value) * (mask & (~mask + WORD(1u)))) & mask;
}

// The stamp of an invocation before any barrier.
fn hirace_LAYOUT_start(workgroup: u32, subgroup: u32, lane: u32) -> WORD {
    return hirace_LAYOUT_field(workgroup, hirace_LAYOUT_workgroup_id)
        | hirace_LAYOUT_field(subgroup, hirace_LAYOUT_subgroup_id)
        | hirace_LAYOUT_field(lane, hirace_LAYOUT_lane_id);
}

// The shadow word after one more access.
fn hirace_LAYOUT_next(old: WORD, stamp: WORD, action: u32) -> WORD {
    let changed = old ^ stamp;
    var sync = 0u;
    if (changed & hirace_LAYOUT_clock) != WORD(0u) {
        sync = HIRACE_SYNC_B;
    } else if (changed & hirace_LAYOUT_subgroup_clock) != WORD(0u) {
        sync = HIRACE_SYNC_W;
    }
    var relation = 0u;
    if (changed & hirace_LAYOUT_workgroup_id) != WORD(0u) {
        relation = HIRACE_RELATION_G;
    } else if (changed & hirace_LAYOUT_subgroup_id) != WORD(0u) {
        relation = HIRACE_RELATION_B;
    } else if (changed & hirace_LAYOUT_lane_id) != WORD(0u) {
        relation = HIRACE_RELATION_W;
    }
    return stamp | WORD(hirace_transition(u32(old) & 31u, action, sync, relation));
}

// Whether a shadow word is that of a race.
fn hirace_LAYOUT_is_racy(word: WORD) -> bool {
    return (u32(word) & 31u) == HIRACE_RACE;
}
