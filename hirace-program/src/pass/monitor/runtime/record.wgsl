// Records an access to those of `count` granules, starting at `first`, that the host has marked. `epoch` is the number of barriers
// passed that order the memory.
fn hirace_check_NAME(base: u32, first: u32, count: u32, action: u32, read_site: u32, site: u32, epoch: u32) {
    for (var i = 0u; i < count; i++) {
        if hirace_NAME_is_marked(base + first + i) {
            hirace_record_event(first + i, site, epoch);
        }
    }
}
