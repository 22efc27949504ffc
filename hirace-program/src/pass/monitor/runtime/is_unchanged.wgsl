// Returns whether an access leaves a shadow word of LAYOUT memory unchanged. It does if the state stays the same, and if no later
// transition depends on whether this access or the previous one was the last.
fn hirace_LAYOUT_is_unchanged(old: WORD, stamp: WORD, action: u32) -> bool {
    let difference = old ^ stamp;
    let by_invocation = (difference & ~WORD(31u)) == WORD(0u);
    let by_subgroup = (difference & ~(hirace_LAYOUT_lane_id | WORD(31u))) == WORD(0u);
    let by_workgroup = (difference & (hirace_LAYOUT_clock | hirace_LAYOUT_workgroup_id)) == WORD(0u);
    let unchanged_states = hirace_unchanged_by_dispatch(action)
        | select(0u, hirace_unchanged_by_workgroup(action), by_workgroup)
        | select(0u, hirace_unchanged_by_subgroup(action), by_subgroup)
        | select(0u, hirace_unchanged_by_invocation(action), by_invocation);
    return ((unchanged_states >> (u32(old) & 31u)) & 1u) != 0u;
}
