// Checks or records an access to workgroup memory whose shadow is in storage memory, with `granules` words in each slot.
fn hirace_slot_access(base: u32, granules: u32, first: u32, count: u32, action: u32, read_site: u32, site: u32) {
    if base != HIRACE_NONE && hirace_slot != HIRACE_NONE {
        let slot_base = base + hirace_slot * granules;
        hirace_check_slot(slot_base, first, count, action, read_site, site, hirace_workgroup_stamp);
    }
}
