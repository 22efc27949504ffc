// Checks an access to the granule `index`, and logs it if that turned racy.
fn hirace_granule_NAME(
    base: u32, index: u32, action: u32, before: u32, site: u32, stamp: WORD,
) {
    let racy = hirace_NAME_update(base + index, stamp, action, before, site);
    if racy != HIRACE_UNWATCHED {
        REPORT;
    }
}

// Checks an access to `count` granules of LAYOUT memory from `first` on, whose shadow words
// start at `base`. Beside what happens at `site` the check is of a read at `before`, if that is another one.
fn hirace_check_NAME(
    base: u32, first: u32, count: u32, action: u32, before: u32, site: u32, stamp: WORD,
) {
    if count == 1u {
        hirace_turns += 1u; // tally
        hirace_granule_NAME(base, first, action, before, site, stamp);
    } else {
        for (var i = 0u; i < count; i++) {
            hirace_turns += 1u; // tally
            hirace_granule_NAME(base, first + i, action, before, site, stamp);
        }
    }
}
