// The stamp of an invocation before any barrier, for LAYOUT memory.
fn hirace_LAYOUT_start(workgroup: u32, subgroup: u32, lane: u32) -> u32 {
    return hirace_field(workgroup, hirace_LAYOUT_workgroup_id)
        | hirace_field(subgroup, hirace_LAYOUT_subgroup_id)
        | hirace_field(lane, hirace_LAYOUT_lane_id);
}

// The shadow word after one more access to LAYOUT memory.
fn hirace_LAYOUT_next(old: u32, stamp: u32, action: u32) -> u32 {
    let changed = old ^ stamp;
    var sync = 0u;
    if (changed & hirace_LAYOUT_clock) != 0u {
        sync = HIRACE_SYNC_B;
    } else if (changed & hirace_LAYOUT_subgroup_clock) != 0u {
        sync = HIRACE_SYNC_W;
    }
    var relation = 0u;
    if (changed & hirace_LAYOUT_workgroup_id) != 0u {
        relation = HIRACE_RELATION_G;
    } else if (changed & hirace_LAYOUT_subgroup_id) != 0u {
        relation = HIRACE_RELATION_B;
    } else if (changed & hirace_LAYOUT_lane_id) != 0u {
        relation = HIRACE_RELATION_W;
    }
    return hirace_next(old, stamp, action, sync, relation);
}
