// Returns the field `mask` of a shadow word of LAYOUT memory with this value. All other bits are 0.
fn hirace_LAYOUT_field(value: u32, mask: WORD) -> WORD {
    return (WORD(value) * (mask & (~mask + WORD(1u)))) & mask;
}

// Returns the stamp of an invocation before it has passed a barrier.
fn hirace_LAYOUT_initial_stamp(workgroup_index: u32, subgroup: u32, lane: u32) -> WORD {
    return hirace_LAYOUT_field(workgroup_index, hirace_LAYOUT_workgroup_id)
        | hirace_LAYOUT_field(subgroup, hirace_LAYOUT_subgroup_id)
        | hirace_LAYOUT_field(lane, hirace_LAYOUT_lane_id);
}

// Returns the shadow word after one more access.
fn hirace_LAYOUT_next(old: WORD, stamp: WORD, action: u32) -> WORD {
    let difference = old ^ stamp;
    var sync = 0u;
    if (difference & hirace_LAYOUT_clock) != WORD(0u) {
        sync = HIRACE_SYNC_B;
    } else if (difference & hirace_LAYOUT_subgroup_clock) != WORD(0u) {
        sync = HIRACE_SYNC_W;
    }
    var relation = 0u;
    if (difference & hirace_LAYOUT_workgroup_id) != WORD(0u) {
        relation = HIRACE_RELATION_G;
    } else if (difference & hirace_LAYOUT_subgroup_id) != WORD(0u) {
        relation = HIRACE_RELATION_B;
    } else if (difference & hirace_LAYOUT_lane_id) != WORD(0u) {
        relation = HIRACE_RELATION_W;
    }
    return stamp | WORD(hirace_transition(u32(old) & 31u, action, sync, relation));
}

// Returns whether a shadow word is racy.
fn hirace_LAYOUT_is_racy(word: WORD) -> bool {
    return (u32(word) & 31u) == HIRACE_RACE;
}
