var<private> hirace_invocation: u32;
fn hirace_enter_subgroup(invocation: u32) {
    hirace_invocation = invocation;
}
fn hirace_leads() -> u32 {
    return u32(subgroupBroadcastFirst(hirace_invocation) == hirace_invocation);
}
