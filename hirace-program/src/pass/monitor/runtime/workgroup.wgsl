// Checks an access to workgroup memory whose shadow is also in workgroup memory.
fn hirace_workgroup_access(base: u32, first: u32, count: u32, action: u32, read_site: u32, site: u32) {
    hirace_check_workgroup(base, first, count, action, read_site, site, hirace_workgroup_stamp);
}
