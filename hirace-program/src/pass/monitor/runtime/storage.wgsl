// Checks or records an access to storage memory. If the launch does not watch the memory, its base is HIRACE_NONE.
fn hirace_storage_access(base: u32, first: u32, count: u32, action: u32, read_site: u32, site: u32) {
    if base != HIRACE_NONE {
        hirace_check_dispatch(base, first, count, action, read_site, site, hirace_storage_stamp);
    }
}
