// An access to workgroup memory whose shadow is in workgroup memory too.
fn hirace_workgroup_access(base: u32, first: u32, count: u32, action: u32, before: u32, site: u32) {
    hirace_check_workgroup(base, first, count, action, before, site, hirace_workgroup_stamp);
}
