// Whether one more access leaves a shadow word of LAYOUT memory as it is: so it does in states that do not change by
// it, and for which it does not matter who of those came last.
fn hirace_LAYOUT_keeps(old: WORD, stamp: WORD, action: u32) -> bool {
    let changed = old ^ stamp;
    let by_invocation = (changed & ~WORD(31u)) == WORD(0u);
    let by_subgroup = (changed & ~(hirace_LAYOUT_lane_id | WORD(31u))) == WORD(0u);
    let by_workgroup = (changed & (hirace_LAYOUT_clock | hirace_LAYOUT_workgroup_id)) == WORD(0u);
    let kept = hirace_kept_by_dispatch(action)
        | select(0u, hirace_kept_by_workgroup(action), by_workgroup)
        | select(0u, hirace_kept_by_subgroup(action), by_subgroup)
        | select(0u, hirace_kept_by_invocation(action), by_invocation);
    return ((kept >> (u32(old) & 31u)) & 1u) != 0u;
}
