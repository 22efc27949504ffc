// An access to storage memory. A memory that the launch does not watch has the base HIRACE_UNWATCHED.
fn hirace_storage_access(base: u32, first: u32, count: u32, action: u32, before: u32, site: u32) {
    if base != HIRACE_UNWATCHED {
        hirace_check_dispatch(base, first, count, action, before, site, hirace_storage_stamp);
    }
}
