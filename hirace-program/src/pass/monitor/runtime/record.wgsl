// Records an access to those of `count` granules from `first` on that are marked. `epoch` counts
// the barriers that order the memory.
fn hirace_check_NAME(base: u32, first: u32, count: u32, action: u32, before: u32, site: u32, epoch: u32) {
    for (var i = 0u; i < count; i++) {
        if hirace_NAME_marked(base + first + i) {
            hirace_record(first + i, site, epoch);
        }
    }
}
