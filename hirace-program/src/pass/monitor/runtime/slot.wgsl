// An access to workgroup memory whose shadow is in storage: `granules` words for each slot.
fn hirace_slot_access(base: u32, granules: u32, first: u32, count: u32, action: u32, before: u32, site: u32) {
    if base != HIRACE_UNWATCHED && hirace_slot != HIRACE_UNWATCHED {
        let own = base + hirace_slot * granules;
        hirace_check_slot(own, first, count, action, before, site, hirace_workgroup_stamp);
    }
}
